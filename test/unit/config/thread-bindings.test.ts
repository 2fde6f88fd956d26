import { expect, test } from "vitest";
import { testSettings } from "../../support/test-settings.ts";
import { faultLines } from "./fault-lines.ts";

const HOUR = 3_600_000;

test("TB-4: defaults, and an account's words over the channel's over the session's, key by key", () => {
  const nothing = { enabled: true, idleMs: 24 * HOUR, maxAgeMs: 0, spawnSessions: true, defaultSpawnContext: "fork" };
  expect(testSettings().session.threadBindings).toEqual(nothing);
  const settings = testSettings({
    session: { threadBindings: { idleHours: 2, defaultSpawnContext: "isolated" } },
    channels: {
      telegram: {
        botToken: "1:a",
        threadBindings: { maxAgeHours: 0.5 },
        accounts: { second: { botToken: "2:b", threadBindings: { enabled: false, idleHours: 0 } } },
      },
    },
  });
  const of = (channel: string, accountId: string) =>
    settings.accounts.find((account) => account.channel === channel && account.accountId === accountId)?.threadBindings;
  const session = { ...nothing, idleMs: 2 * HOUR, defaultSpawnContext: "isolated" };
  expect(settings.session.threadBindings).toEqual(session);
  expect(of("web", "default")).toEqual(session);
  expect(of("telegram", "default")).toEqual({ ...session, maxAgeMs: HOUR / 2 });
  expect(of("telegram", "second")).toEqual({ ...session, enabled: false, idleMs: 0, maxAgeMs: HOUR / 2 });
});

test("FC-089: what is no such key or value is a fault", () => {
  expect(faultLines({ session: { threadBindings: { idleHours: -1, ttl: 3 } } })).toHaveLength(2);
});
