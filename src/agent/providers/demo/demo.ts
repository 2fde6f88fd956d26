import { randomUUID } from "node:crypto";
import type { MessagePart, TokenUsage } from "../../../core/message/transcript.ts";
import type { ModelMessage, ModelRequest, StepEvent } from "../../../core/model.ts";
import { promptTexts, SUMMARY_TASK } from "../../../core/texts/agent/prompt.ts";
import { pause } from "../../../core/time.ts";
import type { CallContext, ModelProvider } from "../wire/protocol.ts";
import { completionReport, readInput } from "./input.ts";
import { type DemoReply, type DemoRequest, demoInputText, say } from "./reply.ts";
import { answerRequest } from "./requests.ts";
import { afterToolResults } from "./tool-results.ts";

/**
 * The built-in demo model (OP-4): no network, no key. What it says is a pure function of the conversation; only the ids of
 * its tool calls are random, because an id is the idempotency key of what its call does.
 */
export function demo(options: { readonly demoDelayMs: number }): ModelProvider {
  async function* step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent> {
    const reply = demoReply({ ...request, messages: request.messages.filter((message) => !isStateNote(message)) });
    for (const [at, piece] of reply.pieces.entries()) {
      const waitMs = piece.waitMs ?? (at === 0 ? 0 : options.demoDelayMs);
      await pause(waitMs, context.signal);
      context.signal.throwIfAborted();
      context.alive();
      yield { type: "text", delta: piece.text };
    }
    yield {
      type: "done",
      parts: partsOf(reply),
      usage: usageOf(request, reply),
      finish: reply.calls.length > 0 ? "tool_calls" : "stop",
    };
  }
  return { step };
}

function partsOf(reply: DemoReply): MessagePart[] {
  const text = reply.pieces.map((piece) => piece.text).join("");
  const calls = reply.calls.map(
    (call): MessagePart => ({
      type: "tool_call",
      callId: `demo-${randomUUID()}`,
      name: call.name,
      args: call.args,
      providerData: null,
    }),
  );
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}

/** Four characters count as one token, so that figures in `/status` move as they would with a real model. */
function usageOf(request: ModelRequest, reply: DemoReply): TokenUsage {
  let input = request.system.length;
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === "text" || part.type === "reasoning") input += part.text.length;
      else if (part.type === "tool_call") input += JSON.stringify(part.args).length;
      else if (part.type === "tool_result") input += JSON.stringify(part.result).length;
    }
  }
  const output =
    reply.pieces.reduce((sum, piece) => sum + piece.text.length, 0) +
    reply.calls.reduce((sum, call) => sum + JSON.stringify(call.args).length, 0);
  return { input: Math.ceil(input / 4), output: Math.ceil(output / 4), cached: 0 };
}

/**
 * What the demo model answers. After a tool result it says what happened; a completion it reports; everything else is
 * looked up in its list of requests.
 */
export function demoReply(request: DemoRequest): DemoReply {
  const summary = demoSummary(request);
  if (summary !== null) return summary;
  const { messages } = request;
  if (messages.at(-1)?.role === "tool") return afterToolResults(request);
  const inputs = trailingUserMessages(messages).map((message) => readInput(demoInputText(message)));
  const reports = inputs.flatMap((input) =>
    input.kind === "completion" ? input.completions.map(completionReport) : [],
  );
  // A notice is answered only if no message asks for anything.
  const asked = inputs.findLast((input) => input.kind !== "completion" && input.kind !== "notice");
  const last = asked ?? inputs.findLast((input) => input.kind === "notice");
  if (last === undefined || last.kind === "completion")
    return say(reports.length > 0 ? reports.join("\n") : "I have nothing to answer yet.");
  const answer = answerRequest(last, request);
  if (reports.length === 0) return answer;
  return { pieces: [...say(`${reports.join("\n")}\n`).pieces, ...answer.pieces], calls: answer.calls };
}

/** The note on the session's state is nothing anybody asks (TN-18). */
function isStateNote(message: ModelMessage): boolean {
  return message.role === "user" && demoInputText(message).startsWith(promptTexts.state);
}

function trailingUserMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(messages.findLastIndex((message) => message.role !== "user") + 1);
}

const KEPT = 1_500;

/** TN-12, as far as a model without understanding can: it keeps the newest words. null: no summary is asked for. */
export function demoSummary({ system, messages }: DemoRequest): DemoReply | null {
  if (!system.startsWith(SUMMARY_TASK)) return null;
  const text = messages.map(demoInputText).join("\n");
  const [, conversation = ""] = /The conversation:\n([\s\S]*)\n\nWrite the summary/.exec(text) ?? [];
  return say(`The demo model keeps the newest words of the older part:\n${conversation.slice(-KEPT).toWellFormed()}`);
}
