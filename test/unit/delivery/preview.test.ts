import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LimitMet } from "../../../src/channel/capabilities.ts";
import { turnDeliveryKey } from "../../../src/core/delivery/delivery.ts";
import { createPacer, type Pacer } from "../../../src/delivery/pacing.ts";
import { type AnswerPreview, createPreview, type PreviewOptions } from "../../../src/delivery/preview.ts";
import { defineStep } from "../../../src/store/store.ts";
import { openTestStore, silentLog, type TestStore } from "../../support/test-store.ts";
import { ChatAdapter } from "./chat-adapter.ts";
import { ManualTimers } from "./manual-timers.ts";
import { message, Outbox, removePreview, routeTo, SESSION } from "./outbox.ts";

const A = routeTo("a");
const KEY = turnDeliveryKey("t1", 0);
const INTERVAL = 1_000;

const openTurn = defineStep("open-turn", "normal", async ({ db, now }) => {
  const turn = {
    id: "t1",
    session_key: SESSION,
    session_id: "s",
    source_json: "{}",
    fence: 1,
    begins: 1,
    run_id: null,
  };
  const state = { outcome: null, error: null, stop_requested: 0, started_at: now, ended_at: null };
  await db
    .insertInto("turns")
    .values({ ...turn, ...state })
    .execute();
});

let test: TestStore;
let timers: ManualTimers;
let pacer: Pacer;
let chat: ChatAdapter;
let outbox: Outbox;
/** Edits that reached the platform, how many set out, and what one that is under way waits for. */
let edits: string[];
let setOut: number;
let editsWait: Promise<void> | null;
/** What the platform answers to an edit while it is limited. */
let limit: LimitMet | null;

beforeEach(async () => {
  test = await openTestStore();
  timers = new ManualTimers(test.clock);
  pacer = createPacer(test.clock);
  edits = [];
  setOut = 0;
  editsWait = null;
  limit = null;
  chat = new ChatAdapter("chat", "default", {
    edits: {
      minIntervalMs: () => INTERVAL,
      preview: async (route, id, piece, signal) => {
        setOut += 1;
        await editsWait;
        if (signal.aborted) return null;
        if (limit !== null) return limit;
        edits.push(`${id}: ${piece.plain}`);
        const shown = chat.messages(route).find((other) => other.id === id);
        if (shown === undefined) throw new Error("message to edit not found");
        shown.text = piece.plain;
        return null;
      },
    },
  });
  outbox = new Outbox(test, [chat]);
  await test.store.step(openTurn, undefined);
});
afterEach(async () => {
  await outbox.idle();
  await test.dispose();
});

function start(changes: Partial<PreviewOptions> = {}): AnswerPreview {
  return createPreview({
    store: test.store,
    pacer,
    clock: test.clock,
    timers,
    log: silentLog,
    account: { adapter: chat, ready: true, pacing: true },
    route: A,
    fence: { turnId: "t1", fence: 1 },
    sessionKey: SESSION,
    runId: null,
    replyTo: "7",
    replyToMode: "first",
    ...changes,
  });
}

/** Lets time pass until `look` gives what is expected. */
function inTime<T>(look: () => T) {
  return expect.poll(() => {
    timers.pass(INTERVAL);
    return look();
  });
}

/** Starts a preview whose first text is shown. */
async function shown(text: string): Promise<AnswerPreview> {
  const preview = start();
  preview.update(text);
  await inTime(() => chat.texts(A)).toEqual([text]);
  await outbox.idle();
  return preview;
}

describe("a streaming preview", () => {
  it("TN-11: shows the first text as an ordinary delivery, then edits that message with the newest text only", async () => {
    const preview = await shown("Hel");
    expect(chat.messages(A)[0]?.replyTo).toBe("7");
    preview.update("Hello");
    preview.update("Hello wor");
    await inTime(() => edits).toEqual(["101: Hello wor"]);
    expect(chat.requests).toEqual(["send 101: Hel"]);
    await preview.finish();
  });

  it("TN-11: an answer that is complete at once has no preview", async () => {
    const preview = start();
    preview.update("Hello");
    timers.pass(349);
    await preview.finish();
    await outbox.put([message(KEY, A, "Hello")], { turnId: "t1" });
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: Hello"]);
  });

  it("TN-11: the final text replaces the preview in the same message", async () => {
    const preview = await shown("Hel");
    await preview.finish();
    await outbox.put([message(KEY, A, "Hello world"), message("turn:t1:1", A, "and more")], { turnId: "t1" });
    await outbox.idle();
    expect(chat.requests).toEqual(["send 101: Hel", "edit 101: Hello world", "send 102: and more"]);
  });

  it("TN-11: an edit under way ends before the turn does, and none starts afterwards", async () => {
    const preview = await shown("Hel");
    let free = (): void => undefined;
    editsWait = new Promise((resolve) => (free = resolve));
    preview.update("Hello");
    await inTime(() => setOut).toBe(1);
    let ended = false;
    const finish = preview.finish().then(() => (ended = true));
    preview.update("Hello world");
    timers.pass(100);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    free();
    await finish;
    expect(edits).toEqual(["101: Hello"]);
    expect(timers.size).toBe(0);
  });

  it("TN-11: an edit that does not end is aborted, so that the turn does", async () => {
    const preview = await shown("Hel");
    let free = (): void => undefined;
    editsWait = new Promise((resolve) => (free = resolve));
    preview.update("Hello");
    await inTime(() => setOut).toBe(1);
    const finish = preview.finish();
    timers.pass(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    free();
    await finish;
    expect(edits).toEqual([]);
  });

  it("FC-094: a refused edit creates no message and the next one goes to the same message", async () => {
    const preview = await shown("Hel");
    const [only] = chat.messages(A);
    chat.messages(A).length = 0;
    preview.update("Hello");
    await inTime(() => edits).toHaveLength(1);
    if (only !== undefined) chat.messages(A).push(only);
    preview.update("Hello world");
    await inTime(() => edits).toEqual(["101: Hello", "101: Hello world"]);
    expect(chat.requests).toEqual(["send 101: Hel"]);
    await preview.finish();
  });

  it("FC-030: shows nothing while the text could still be a control word, and a real answer at once after", async () => {
    const preview = start();
    preview.update("NO");
    await inTime(() => timers.size).toBe(0);
    preview.update("NO_REP");
    await inTime(() => timers.size).toBe(0);
    await outbox.idle();
    expect(chat.requests).toEqual([]);
    preview.update("NO way");
    await inTime(() => chat.texts(A)).toEqual(["NO way"]);
    await preview.finish();
  });

  it("TN-11: after a restart the message that was there before is edited, not sent again", async () => {
    const before = await shown("Hel");
    await before.finish();
    const after = start();
    after.update("Hello again");
    await inTime(() => edits).toEqual(["101: Hello again"]);
    expect(chat.requests).toEqual(["send 101: Hel"]);
    await after.finish();
  });

  it("TN-11: a silent turn takes back what its preview showed", async () => {
    const preview = await shown("Hmm");
    await preview.finish();
    await test.store.step(removePreview, "t1");
    await outbox.idle();
    expect(chat.texts(A)).toEqual([]);
    expect(await outbox.states()).toEqual(["withdrawn"]);
  });

  it("TN-11: a final text is sent again if the preview was deleted", async () => {
    const preview = await shown("Hel");
    await preview.finish();
    chat.messages(A).length = 0;
    await outbox.put([message(KEY, A, "Hello world")], { turnId: "t1" });
    await outbox.idle();
    expect(chat.texts(A)).toEqual(["Hello world"]);
  });

  it("DL-4: a preview that meets a limit delays the conversation for as long as the platform says, also for the answer", async () => {
    const preview = await shown("Hel");
    limit = { afterMs: 9_000, sharesLimitWith: null };
    preview.update("Hello");
    await inTime(() => setOut).toBe(1);
    limit = null;
    const until = test.clock.now() + 5_000;
    await inTime(() => test.clock.now()).toBeGreaterThan(until);
    expect(setOut).toBe(1);
    expect(
      pacer.heldUntil({ account: "chat/default", conversation: "chat/default/a/", buckets: [], paced: true }),
    ).toBeGreaterThan(until);
    await inTime(() => edits).toEqual(["101: Hello"]);
    await preview.finish();
  });

  it("DL-5: no edit goes out while the conversation is held by a 429", async () => {
    const preview = await shown("Hel");
    pacer.hold(
      { account: "chat/default", conversation: "chat/default/a/", buckets: [], paced: true },
      null,
      test.clock.now() + 5_000,
    );
    preview.update("Hello");
    const until = test.clock.now() + 5_000;
    let early = 0;
    await inTime(() => {
      if (test.clock.now() < until) early = setOut;
      return edits;
    }).toEqual(["101: Hello"]);
    expect(early).toBe(0);
    await preview.finish();
  });
});
