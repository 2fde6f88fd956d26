import { expect, it } from "vitest";
import type { Tree } from "../../../config/load/faults.ts";
import { defineStep } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { EventSketch } from "../../support/inbound.ts";
import { describeOnEveryStore, openTestStore, type TestStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig, group, groupKey } from "./door.ts";

const HOUR_MS = 3_600_000;
const names = new Map([["status", "status"]]);
function reset(test: TestStore, session: Tree): Door {
  return new Door(test, { ...doorConfig, agents: vienna, session }, { commandNames: names });
}
const vienna = { entries: { main: { default: true, model: "demo/switchyard", userTimezone: "Europe/Vienna" } } };

async function life(door: Door, key: string = annKey): Promise<string> {
  const session = (await door.sessions()).find((known) => known.key === key);
  if (session === undefined) throw new Error(`no session ${key}`);
  return session.sessionId;
}

let messages = 0;
async function says(door: Door, text = "hello", sketch: object = {}): Promise<string> {
  messages += 1;
  await door.offer({ messageId: String(messages), text, ...sketch });
  return life(door);
}

const openTurn = defineStep("open-turn", "normal", async ({ db, now }, open: boolean) => {
  if (!open) return void (await db.updateTable("turns").set({ ended_at: now }).execute());
  const row = { id: "t1", session_key: annKey, session_id: "s", source_json: "{}", fence: 1, begins: 1, run_id: null };
  await db
    .insertInto("turns")
    .values({ ...row, outcome: null, error: null, stop_requested: 0, started_at: now, ended_at: null })
    .execute();
});

const owedResult = defineStep("owed-result", "normal", async ({ db, now }, owed: boolean) => {
  if (!owed)
    return void (await db.updateTable("inbox").set({ settled_at: now }).where("kind", "=", "completion").execute());
  const row = { key: "c", session_key: annKey, kind: "completion", state: "waiting", payload_json: "{}" };
  const none = { route_json: null, conversation: null, turn_id: null, run_id: null, call_id: null, cause: null };
  await db
    .insertInto("inbox")
    .values({
      ...row,
      ...none,
      provenance_json: "{}",
      rights_json: "{}",
      received_at: now,
      created_at: now,
      settled_at: null,
    })
    .execute();
});

describeOnEveryStore("automatic resets", (open) => {
  it("TN-13: idle: the message after the pause is the first of a new life, and the old one stays", async () => {
    const door = reset(await open(), { reset: { mode: "idle", idleMinutes: 30 } });
    const first = await says(door);
    door.test.clock.advance(HOUR_MS / 2 - 1);
    expect(await says(door)).toBe(first);
    door.test.clock.advance(HOUR_MS / 2);
    expect(await says(door)).not.toBe(first);
  });

  it("TN-13: while a turn runs or a result is owed the reset waits, and comes with the next message", async () => {
    const door = reset(await open(), { reset: { mode: "idle", idleMinutes: 30 } });
    const { store, clock } = door.test;
    const first = await says(door);
    clock.advance(HOUR_MS);
    await store.step(openTurn, true);
    expect(await says(door)).toBe(first);
    await store.step(openTurn, false);
    await store.step(owedResult, true);
    expect(await says(door)).toBe(first);
    await store.step(owedResult, false);
    const second = await says(door);
    expect(second).not.toBe(first);
    expect(await says(door)).toBe(second);
  });

  it("TN-13: a command looks at the old life; the message after it starts the new one", async () => {
    const door = reset(await open(), { reset: { mode: "idle", idleMinutes: 30 } });
    const first = await says(door);
    door.test.clock.advance(HOUR_MS);
    expect(await says(door, "/status")).toBe(first);
    expect(await says(door)).not.toBe(first);
  });
});

it("TN-13: daily: at the hour of the agent's time zone, also over the change to winter time", async () => {
  // 25 October 2026, 01:30 in Vienna, still summer time.
  const door = reset(await openTestStore(new FakeClock(Date.parse("2026-10-24T23:30:00Z"))), {
    reset: { mode: "daily", atHour: 4 },
  });
  const first = await says(door);
  // 03:30 winter time: four hours by the sun, and not yet four by the clock.
  door.test.clock.advance(3 * HOUR_MS);
  expect(await says(door)).toBe(first);
  door.test.clock.advance(HOUR_MS / 2);
  expect(await says(door)).not.toBe(first);
  await door.test.dispose();
});

it("TN-13: a channel's policy goes before a type's, and that before the general one", async () => {
  const never = { mode: "none" };
  const soon = { mode: "idle", idleMinutes: 1 };
  for (const [session, resets] of [
    [{ reset: soon, resetByType: { direct: never } }, false],
    [{ reset: never, resetByType: { direct: soon, group: never } }, true],
    [{ reset: soon, resetByType: { direct: soon }, resetByChannel: { telegram: never } }, false],
    [{ reset: { idleMinutes: 1, mode: "idle" }, resetByChannel: { telegram: { idleMinutes: 600 } } }, false],
  ] as const) {
    const door = reset(await openTestStore(), session);
    const first = await says(door);
    door.test.clock.advance(HOUR_MS);
    expect((await says(door)) !== first, JSON.stringify(session)).toBe(resets);
    await door.test.dispose();
  }
});

it("TN-13: what other bots write neither starts a new life nor keeps the session from one", async () => {
  const telegram = {
    botToken: "9:test-token",
    allowFrom: ["111"],
    allowBots: true,
    groups: { "-100555": { allowFrom: ["*"], requireMention: true } },
  };
  const door = new Door(await openTestStore(), {
    channels: { telegram },
    session: { reset: { mode: "idle", idleMinutes: 30 } },
  });
  const robot = { sender: { id: "999", name: "Robo", isBot: true } };
  const inGroup = async (messageId: string, sketch: EventSketch = {}): Promise<string> => {
    const route = { channel: "telegram", accountId: "default", to: group.id, threadId: null };
    expect(await door.offer({ messageId, peer: group, route, mentions: { bot: true }, ...sketch })).toMatchObject({
      result: "accepted",
    });
    return life(door, groupKey);
  };
  const first = await inGroup("1");
  door.test.clock.advance(HOUR_MS / 4);
  expect(await inGroup("2", robot)).toBe(first);
  door.test.clock.advance(HOUR_MS / 2);
  expect(await inGroup("3", robot)).toBe(first);
  expect(await inGroup("4")).not.toBe(first);
  await door.test.dispose();
});
