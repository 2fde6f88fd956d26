import { randomUUID } from "node:crypto";
import type { MessagePart, TokenUsage } from "../../../core/message/transcript.ts";
import type { ModelRequest, StepEvent } from "../../../core/model.ts";
import { pause } from "../../../core/waiting.ts";
import type { CallContext, ModelProvider } from "../wire/protocol.ts";
import { demoReply } from "./demo-reply.ts";
import type { DemoReply } from "./reply.ts";

/**
 * The built-in demo model (OP-4): no network, no key. What it says is a pure function of the conversation; only the ids of
 * its tool calls are random, because an id is the idempotency key of what its call does.
 */
export function demo(options: { readonly demoDelayMs: number }): ModelProvider {
  async function* step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent> {
    const reply = demoReply(request);
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
