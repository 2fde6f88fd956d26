import { expect, test } from "vitest";
import { summarise } from "../../../src/agent/compaction.ts";
import type { TranscriptMessage } from "../../../src/core/message/transcript.ts";
import type { FinishReason, StepEvent } from "../../../src/core/model.ts";
import { silentLog } from "../../support/test-store.ts";
import { user } from "../tools/tool-scene.ts";

/** A summary by a model that answers this to every request. */
async function summaryOf(text: string, finish: FinishReason = "stop") {
  async function* step(): AsyncIterable<StepEvent> {
    yield { type: "done", parts: [{ type: "text", text }], usage: { input: 1, output: 1, cached: 0 }, finish };
  }
  const row = {
    ...user("what now?"),
    seq: 1,
    sessionId: "s",
    sessionKey: "agent:main:main",
    turnId: null,
    createdAt: 0,
  };
  return summarise([row as TranscriptMessage], {
    runner: { step, facts: () => ({ contextTokens: 100_000, images: false, price: null }) },
    models: [{ provider: "p", model: "m" }],
    instructions: null,
    signal: new AbortController().signal,
    slot: { released: (wait) => wait() },
    log: silentLog,
    backoff: { delayMs: () => 0 },
  });
}

test("FC-313: what the summariser thought is not in the summary", async () => {
  expect((await summaryOf("<think>They want tides.</think>They asked for tides.")).text).toBe("They asked for tides.");
});

test("FC-313: a summary of thoughts only, and one that was cut, is a failed one", async () => {
  await expect(summaryOf("<think>They want tides.")).rejects.toMatchObject({ code: "no_answer" });
  await expect(summaryOf("They asked for", "length")).rejects.toMatchObject({ code: "bad_response" });
});
