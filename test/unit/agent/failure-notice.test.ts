import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withFailures } from "../../../docs/generate/failures-table.ts";
import { ProviderRefusal, toModelError } from "../../../src/agent/providers/model-error.ts";
import { failureDeliveries, modelFailure } from "../../../src/agent/turn/failure.ts";
import { type FailureReason, failureForOwner, TURN_FAILURES } from "../../../src/core/texts/chat/failures.ts";
import { PLAIN_RENDERER } from "../../../src/delivery/pacing.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group } from "../bridge/door.ts";

const said = (message: string, code = "x") => JSON.stringify({ error: { message, code } });
const KEY = "sk-live-1234567890";

const CAUSES: readonly (readonly [what: string, status: number, body: string, reason: FailureReason])[] = [
  ["no key", 401, said(`no API key: ${KEY}`), "model_account"],
  ["no permission", 403, said("forbidden"), "model_account"],
  ["no credit, OpenAI", 429, said("You exceeded your current quota", "insufficient_quota"), "model_credit"],
  ["no credit, Anthropic", 400, said("Your credit balance is too low to access the API"), "model_credit"],
  ["no credit, DeepSeek", 402, said("Insufficient Balance"), "model_credit"],
  [
    "a limit that Google calls a quota",
    429,
    said("You exceeded your current quota, please check your plan and billing details."),
    "model_limit",
  ],
  ["unknown model", 404, said("no such model"), "model_unknown"],
  ["content refused", 400, said("blocked", "content_policy_violation"), "model_filtered"],
  ["too long", 400, said("prompt is too long: 213462 tokens > 200000 maximum"), "model_too_long"],
  ["a limit", 429, said("slow down"), "model_limit"],
  ["server down", 503, said("overloaded"), "model_unreachable"],
  ["anything else", 400, said("no"), "model_refused"],
];

describe("what is said of a model's failure", () => {
  it.each(CAUSES)("FC-334: %s", (_what, status, body, reason) => {
    const error = toModelError(new ProviderRefusal(status, {}, body), {
      model: { provider: "acme", model: "m" },
      secret: KEY,
      aborted: false,
      idleMs: null,
      now: 0,
      fullness: 0.1,
    });
    expect(modelFailure(error)).toBe(reason);
    expect(failureForOwner(reason, error.message)).toContain("acme/m");
    expect(failureForOwner(reason, error.message)).not.toContain(KEY);
    expect(TURN_FAILURES[reason].person).not.toMatch(/acme|HTTP|models\.providers|agents\./);
  });

  it("FC-334: whoever reads a line learns whether trying again helps, without settings or addresses", () => {
    const again: Record<string, RegExp> = {
      now: /again|operator/i,
      soon: /minute|tomorrow/,
      reworded: /Rephrase|smaller part/,
      "after the fix": /Trying again won't help/,
      no: /\/new.*\/model/,
    };
    for (const [reason, words] of Object.entries(TURN_FAILURES)) {
      expect(words.person, reason).toMatch(again[words.again] as RegExp);
      expect(words.person, reason).not.toMatch(/`|https?:|\w+\.\w+\.\w+/);
    }
  });

  it("FC-334: the page shows the table as the texts are", () => {
    const page = readFileSync(new URL("../../../docs/when-something-goes-wrong.md", import.meta.url), "utf8");
    expect(withFailures(page)).toBe(page);
  });
});

describeOnEveryStore("notices of failed turns", (open) => {
  it("TN-16, FC-334: a second failure at once is silence for the same person only", async () => {
    const door = new Door(await open(), doorConfig);
    for (const [messageId, id] of [
      ["1", "111"],
      ["2", "111"],
      ["3", "222"],
    ] as const) {
      await door.offer({ messageId, peer: group, sender: { id }, mentions: { bot: true } });
    }
    const items = await door.inputs();
    const route = { channel: "telegram", accountId: "default", to: group.id, threadId: null };
    const place = { route, renderer: PLAIN_RENDERER, replyTo: null, now: 30_000, day: 0, cause: null };
    const keys = items.map((item) => failureDeliveries("model", [item], place).map(({ key }) => key));
    expect(keys.map((own) => own.length)).toEqual([1, 1, 1]);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).not.toEqual(keys[0]);
    const limit = items.map((item) => failureDeliveries("daily_limit", [item], place)[0]?.key);
    expect(new Set(limit).size).toBe(1);
  });
});
