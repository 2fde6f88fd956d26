import { expect, test } from "vitest";
import { type LoopEnd, runLoop, type ToolCall } from "../../../src/agent/turn/loop.ts";
import type { Json } from "../../../src/core/json.ts";
import type { NewMessage } from "../../../src/core/message/transcript.ts";

/** Runs the loop with a model that makes these calls at step `n`; how it ends, and after how many model calls. */
async function loop(
  callsAt: (step: number) => readonly Omit<ToolCall, "callId">[],
  known: readonly string[] = ["a", "b", "c"],
) {
  let steps = 0;
  const message = (parts: NewMessage["parts"]): NewMessage => ({
    role: "assistant",
    parts,
    provenance: { kind: "system", source: "t" },
    usage: null,
  });
  const end: LoopEnd = await runLoop(
    { pending: [], pendingText: "", steps: 0 },
    { maxSteps: 50 },
    {
      model: async () => {
        const calls = callsAt(steps++);
        return {
          message: message(
            calls.map((call, at) => ({ type: "tool_call", callId: `${steps}-${at}`, ...call, providerData: null })),
          ),
        };
      },
      store: async () => undefined,
      tool: async (call) => ({
        message: message([
          { type: "tool_result", callId: call.callId, name: call.name, result: { n: call.args }, isError: false },
        ]),
        stored: false,
        ends: null,
        isUnknown: !known.includes(call.name),
      }),
      boundary: async () => false,
    },
  );
  return { kind: end.kind, steps };
}

const call = (name: string, args: Json = {}) => ({ name, args });

test("FC-314: the same call, two in turns, two beside each other and an unknown tool with changing arguments end the turn", async () => {
  expect(await loop(() => [call("a")])).toEqual({ kind: "same_call", steps: 5 });
  expect(await loop((step) => [call(step % 2 === 0 ? "a" : "b")])).toEqual({ kind: "same_call", steps: 10 });
  expect(await loop(() => [call("a"), call("b")])).toEqual({ kind: "same_call", steps: 5 });
  expect(await loop((step) => [call("nope", step)])).toEqual({ kind: "same_call", steps: 5 });
});

test("FC-314: work that goes on is no circle", async () => {
  expect(await loop((step) => (step < 30 ? [call("a", step)] : []))).toEqual({ kind: "final", steps: 31 });
  expect(await loop((step) => (step < 20 ? [call(step % 4 === 0 ? "a" : "nope", step)] : []))).toEqual({
    kind: "final",
    steps: 21,
  });
});
