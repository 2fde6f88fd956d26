import { describe, expect, it } from "vitest";
import { createCompactOnDemand } from "../../../src/agent/compaction.ts";
import { DailyLimitReached, withinDailyLimit } from "../../../src/agent/model-call.ts";
import { failureDeliveries } from "../../../src/agent/turn/failure.ts";
import { OPERATOR_RIGHTS } from "../../../src/core/session/rights.ts";
import { mainSessionKey } from "../../../src/core/session/session-key.ts";
import { costOfTokens, reachedLimit } from "../../../src/core/session/spending.ts";
import { createLocalTime } from "../../../src/core/time.ts";
import { PLAIN_RENDERER } from "../../../src/delivery/pacing.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import { countUsage, insertMessages } from "../../../src/store/parts/transcript.ts";
import { defineStep } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, openTestStore, silentLog } from "../../support/test-store.ts";
import { assistant, user } from "../tools/tool-scene.ts";

const SOURCE = { kind: "event", route: null, rights: OPERATOR_RIGHTS, replyTo: null, chain: null } as const;
const KEY = mainSessionKey("main");
const used = defineStep("used", "normal", async (context, tokens: number) => {
  await ensureSession(context, { key: KEY, agentId: "main", channel: null, originRoute: null });
  await countUsage(
    context,
    { sessionKey: KEY, source: SOURCE },
    {
      role: "assistant",
      parts: [],
      provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
      usage: { input: tokens - 10, output: 10, cached: 0 },
    },
  );
});

const twoExchanges = defineStep("two-exchanges", "normal", async (context, _: null) => {
  const session = await ensureSession(context, { key: KEY, agentId: "main", channel: null, originRoute: null });
  const owner = { sessionId: session.sessionId, sessionKey: KEY, turnId: null };
  const [asked, answered] = [user("what now?"), assistant("this")];
  await insertMessages(context, owner, [asked, answered, asked, answered]);
  return session;
});

describe("daily limits", () => {
  describeOnEveryStore("the tokens of a day", (open) => {
    it("TN-19: an agent's tokens count until midnight of its own time zone", async () => {
      // 23:30 in Kolkata.
      const { store, clock } = await open(new FakeClock(Date.parse("2026-06-10T18:00:00Z")));
      const settings = testSettings({
        agents: { entries: { main: { default: true, model: "demo/switchyard", userTimezone: "Asia/Kolkata" } } },
        limits: { daily: { tokens: 100 } },
      });
      const agent = settings.agents.get("main");
      if (agent === undefined) throw new Error("no agent");
      const ask = () => withinDailyLimit({ settings, agent }, { store, clock, localTime: createLocalTime() });
      await store.step(used, 60);
      await ask();
      await store.step(used, 40);
      await expect(ask()).rejects.toThrow(new DailyLimitReached("limits.daily.tokens is 100"));
      clock.advance(31 * 60_000);
      await ask();
    });
  });

  it("TN-19: cost is what the configured prices make of it; a model without one costs nothing", () => {
    const spent = [
      { model: "a/priced", input: 1_000_000, output: 500_000, cached: 0, cacheWrite: 0 },
      { model: "a/free", input: 9_000_000, output: 0, cached: 0, cacheWrite: 0 },
    ];
    const priceOf = (model: string) => (model === "a/priced" ? { input: 2, output: 10 } : null);
    expect(reachedLimit({ tokens: 0, cost: 7 }, spent, priceOf)).toBe("limits.daily.cost is 7");
    expect(reachedLimit({ tokens: 0, cost: 7.1 }, spent, priceOf)).toBeNull();
    expect(reachedLimit({ tokens: 0, cost: 0 }, spent, priceOf)).toBeNull();
  });

  it("FC-315: cached input has its own price, and the full one where none is set", () => {
    const used = { input: 1_000_000, output: 0, cached: 800_000, cacheWrite: 100_000 };
    expect(costOfTokens(used, { input: 3, output: 15 })).toBe(3);
    expect(costOfTokens(used, { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 4 })).toBeCloseTo(0.3 + 0.24 + 0.4);
  });

  it("TN-19: people are told once in each day of the agent's time zone", async () => {
    const route = { channel: "telegram", accountId: "default", to: "1", threadId: null };
    const localTime = createLocalTime();
    const told = (time: string) => {
      const now = Date.parse(time);
      const day = localTime.lastHour(now, "Asia/Kolkata", 0);
      return failureDeliveries("daily_limit", [], {
        route,
        renderer: PLAIN_RENDERER,
        replyTo: null,
        now,
        day,
        cause: null,
      }).map(({ key }) => key);
    };
    // Midnight in Kolkata is half past six in the evening before, in UTC.
    const [evening, night, nextEvening] = ["2026-06-10T18:29:00Z", "2026-06-10T18:31:00Z", "2026-06-11T18:29:00Z"];
    expect(told(evening)).toHaveLength(1);
    expect(told(night)).not.toEqual(told(evening));
    expect(told(nextEvening)).toEqual(told(night));
  });

  it("TN-19: /compact is refused on a day that is spent, before any model is asked", async () => {
    const { store, clock, dispose } = await openTestStore();
    const settings = testSettings({ limits: { daily: { tokens: 100 } } });
    await store.step(used, 100);
    const session = await store.step(twoExchanges, null);
    const compactNow = createCompactOnDemand({
      ...{ store, clock, log: silentLog, settings: () => settings, localTime: createLocalTime() },
      runner: () => {
        throw new Error("a model is asked");
      },
      backoff: { delayMs: () => 0 },
    });
    const { signal } = new AbortController();
    expect(await compactNow({ session, instructions: null, cause: "c", actor: "ann", signal })).toEqual({
      result: "daily_limit",
    });
    await dispose();
  });
});
