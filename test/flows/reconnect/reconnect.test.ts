import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BrokenPlatform,
  type Endured,
  endures,
  faultsOf,
  type Surfaces,
  watchSurfaces,
} from "../../support/reconnects.ts";
import { startTestBridge, type TestBridge } from "../../support/test-bridge.ts";
import { brokenDiscord } from "./discord.ts";
import { brokenSlack } from "./slack.ts";
import { brokenTelegram } from "./telegram.ts";

/** So that the causes do not all begin in one moment. */
const APART_MS = 400;

/** One bridge with one account per cause: everything breaks beside each other, and every test looks at its own account. */
const [discord, slack, telegram] = await Promise.all([brokenDiscord(), brokenSlack(), brokenTelegram()]);
const runs = new Map<string, Promise<Endured>>();
let bridge: TestBridge;
let surfaces: Surfaces;

beforeAll(async () => {
  const channels = { discord: discord.section, slack: slack.section, telegram: telegram.section };
  bridge = await startTestBridge({
    telegram: false,
    config: { session: { dmScope: "per-account-channel-peer" }, channels },
  });
  surfaces = watchSurfaces(bridge);
  const all = [discord, slack, telegram].flatMap(({ cases }) => cases);
  for (const [index, { talk, cause }] of all.entries()) {
    const run = sleep(index * APART_MS).then(() => endures(bridge, surfaces, talk, cause));
    run.catch(() => undefined);
    runs.set(talk.account, run);
  }
}, 60_000);
afterAll(async () => {
  await surfaces?.[Symbol.asyncDispose]();
  await bridge?.[Symbol.asyncDispose]();
  await Promise.all([discord, slack, telegram].map((platform) => platform.stop()));
});

function table(clauses: string, { cases }: BrokenPlatform): void {
  for (const { talk, cause, said } of cases) {
    test(`${clauses}: ${cause.name}`, async () => {
      const endured = await runs.get(talk.account);
      if (endured === undefined) throw new Error("it was not run");
      if (process.env.SHOW_RECONNECTS !== undefined) console.log(talk.account, cause.name, JSON.stringify(endured));
      expect(faultsOf(endured, said())).toEqual([]);
    });
  }
}

describe("every surface shows it within 5 s, the account is back within 10 s, what was said meanwhile is answered once", () => {
  describe("Discord", () => table("CH-1, CH-5, CH-6, IN-14", discord));
  describe("Slack", () => table("CH-2, CH-5, CH-6, IN-14", slack));
  describe("Telegram", () => table("CH-3, CH-5, CH-6, IN-14", telegram));
});
