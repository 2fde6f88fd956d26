import type { Json } from "../../../../src/core/json.ts";
import type { ChatRequest } from "./request-check.ts";

/** One thing the emulated model does while it answers; steps run in order. */
export type ReplyStep =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** `args` is sent as it is, in `fragments` pieces; it need not be JSON. `id: null`: a deterministic id is made. */
  | {
      readonly type: "call";
      readonly name: string;
      readonly args: string;
      readonly id: string | null;
      readonly fragments: number;
    }
  /** Goes on when the promise resolves; see `gate()`. */
  | { readonly type: "wait"; readonly until: Promise<unknown> }
  | { readonly type: "delay"; readonly ms: number }
  /** Bytes written to the stream verbatim: broken SSE, comments, error events. */
  | { readonly type: "raw"; readonly bytes: string }
  /** The socket is destroyed. */
  | { readonly type: "cut" }
  /** The response ends cleanly, but without a finish reason and `[DONE]`. */
  | { readonly type: "end" }
  /** Nothing more is said; the connection stays open until the client leaves. */
  | { readonly type: "silence" };

export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export type ModelReply =
  | {
      readonly kind: "answer";
      readonly steps: readonly ReplyStep[];
      /** null: taken from the sizes of request and reply. */
      readonly usage: ReplyUsage | null;
      /** null: `tool_calls` when there is a call, else `stop`. */
      readonly finish: string | null;
    }
  | {
      readonly kind: "http";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

/** What the model answers to the request with this index (0 is the first). */
export type ReplyFunction = (request: ChatRequest, index: number) => ModelReply | Promise<ModelReply>;

/** A function for every request, or a list with one entry per request; past its end the emulator answers 400 and says so. */
export type ModelScript = ReplyFunction | readonly (ModelReply | ReplyFunction)[];

/** An answer made of any steps. */
export function answer(...steps: readonly ReplyStep[]): ModelReply & { readonly kind: "answer" } {
  return { kind: "answer", steps, usage: null, finish: null };
}

/** A text answer, one delta per argument. */
export function say(...deltas: readonly string[]): ModelReply & { readonly kind: "answer" } {
  return answer(...deltas.map(text));
}

export function text(delta: string): ReplyStep {
  return { type: "text", delta };
}

export function reasoning(delta: string): ReplyStep {
  return { type: "reasoning", delta };
}

/** A tool call step; the arguments are streamed in `fragments` pieces (default 3). */
export function toolCall(name: string, args: Json, options: { id?: string; fragments?: number } = {}): ReplyStep {
  return {
    type: "call",
    name,
    args: JSON.stringify(args),
    id: options.id ?? null,
    fragments: options.fragments ?? 3,
  };
}

/** A tool call whose arguments are this text, JSON or not. */
export function rawToolCall(name: string, args: string): ReplyStep {
  return { type: "call", name, args, id: null, fragments: 2 };
}

/** An answer that consists of one tool call. */
export function call(
  name: string,
  args: Json,
  options: { id?: string } = {},
): ModelReply & { readonly kind: "answer" } {
  return answer(toolCall(name, args, options));
}

export function delay(ms: number): ReplyStep {
  return { type: "delay", ms };
}

export interface Gate {
  open(): void;
  /** The step that waits for `open()`. */
  readonly step: ReplyStep;
}

/** A step that holds the reply back until the test opens it. */
export function gate(): Gate {
  const opened = Promise.withResolvers<void>();
  return { open: () => opened.resolve(), step: { type: "wait", until: opened.promise } };
}

export function withUsage(reply: ModelReply & { kind: "answer" }, usage: ReplyUsage): ModelReply {
  return { ...reply, usage };
}

export function withFinish(reply: ModelReply & { kind: "answer" }, finish: string): ModelReply {
  return { ...reply, finish };
}
