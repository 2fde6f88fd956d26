import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Delivery, DeliveryContent, Route } from "../../src/core/delivery/delivery.ts";
import { identityKey } from "../../src/core/message/inbound-event.ts";
import type { FakeHost } from "../support/fake-host.ts";
import { threadTests } from "./adapter-threads.ts";

/** A message a person wrote on the platform. */
export interface Said {
  /** The platform will not bring it again: it was told that it arrived. */
  acknowledged(): boolean;
  /** Resolves when the platform was told. Rejects when it never can be. */
  readonly settled: Promise<void>;
  /** The platform brings the very same message once more, as it does after a lost acknowledgement. */
  again(): Promise<void>;
}

/** A message of the bot as people see it. */
export interface Seen {
  readonly id: string;
  readonly text: string;
}

/** How a send may go wrong. A platform on which a kind cannot happen says so by returning false. */
export type Breakage = "outage" | "rate_limit" | "formatting";

/** One account on its platform, or on what stands in for it. Not started yet. */
export interface AdapterHarness extends AsyncDisposable {
  readonly adapter: ChannelAdapter;
  readonly host: FakeHost;
  readonly conversation: Route;
  /** A thread or topic of the same conversation; null: the platform has none. */
  readonly thread: Route | null;
  /** A conversation that is dead for the bot. */
  readonly gone: Route;
  /** A person writes in the conversation, in its thread, or in one the adapter made; resolves when the platform has the message. */
  personSays(text: string, where?: "thread" | Route): Promise<Said>;
  /** What stands in exactly this conversation or thread, oldest first. */
  seen(route: Route): Promise<readonly Seen[]>;
  breakNextSend(kind: Breakage): boolean;
  /** People delete a thread; absent: they cannot. */
  deleteThread?(thread: Route): Promise<void>;
}

/** The conformance suite of CH-7: every adapter passes it. `make` gives a fresh account, which the suite disposes. */
export function adapterContract(name: string, make: () => Promise<AdapterHarness>): void {
  describe(`${name} as a channel adapter`, () => {
    const open: AdapterHarness[] = [];
    afterEach(async () => {
      for (const harness of open.splice(0)) {
        await harness.adapter.stop();
        await harness[Symbol.asyncDispose]();
      }
    });

    async function started(): Promise<AdapterHarness> {
      const harness = await make();
      open.push(harness);
      await harness.adapter.start(harness.host);
      await harness.host.until(() => harness.host.health === "ready", "the state ready");
      return harness;
    }

    inboundTests(started);
    outboundTests(started);
    lifeTests(started);
    threadTests(started);
  });
}

function inboundTests(started: () => Promise<AdapterHarness>): void {
  test("IN-3: a message is handed in once, and acknowledged only when it is committed", async () => {
    const { host, conversation, personSays, seen } = await started();
    const release = host.holdAccept();
    const said = await personSays("hello");
    await host.until(() => host.offered.length > 0, "the message");
    // An acknowledgement that comes too early would come about now.
    await seen(conversation);
    await setTimeout(100);
    expect(said.acknowledged()).toBe(false);
    release();
    await said.settled;
    expect(host.accepted.map((event) => event.text)).toEqual(["hello"]);
    expect(host.offered).toHaveLength(1);
  });

  test("IN-1: an event is complete and answers to the conversation it came from", async () => {
    const { host, adapter, conversation, personSays } = await started();
    await (await personSays("hello")).settled;
    const event = host.accepted[0];
    expect(event?.route).toEqual(conversation);
    expect(event?.identity).toMatchObject({ channel: adapter.channel, kind: "message" });
    expect(event?.accountId).toBe(adapter.accountId);
    expect(event?.sender).toMatchObject({ isBot: false, isSelf: false });
    expect(event?.sender.id).not.toBe("");
    expect(event?.identity.botId).not.toBe("");
  });

  test("IN-2: the same message has the same identity when it comes again, and another message another one", async () => {
    const { host, personSays } = await started();
    const said = await personSays("same words");
    await said.settled;
    await said.again();
    await (await personSays("same words")).settled;
    const identities = host.offered.map((event) => identityKey(event.identity));
    expect(new Set(identities).size).toBe(2);
    expect(host.accepted).toHaveLength(2);
  });

  test("FC-039: a message in a thread carries the thread in its route", async () => {
    const { host, thread, personSays } = await started();
    if (thread === null) return;
    await (await personSays("in here", "thread")).settled;
    expect(host.accepted[0]?.route).toEqual(thread);
    expect(host.accepted[0]?.thread.kind).toMatch(/^(thread|topic)$/);
  });

  test("IN-3: while the store is away nothing is acknowledged, and nothing is lost when it is back", async () => {
    const { host, personSays } = await started();
    host.storeIsAway = true;
    const said = await personSays("hold on");
    await host.until(() => host.offered.length > 0 && host.health === "degraded", "the state degraded");
    expect(said.acknowledged()).toBe(false);
    expect(host.accepted).toEqual([]);
    host.storeIsAway = false;
    await host.until(() => host.accepted.length === 1 && host.health === "ready", "the message, once, and ready");
  });
}

function outboundTests(started: () => Promise<AdapterHarness>): void {
  test("DL-3: a message that was sent has ids, and stands where its route says", async () => {
    const { adapter, conversation, seen } = await started();
    const ids = await sent(adapter, delivery(conversation, words("the answer")));
    expect(ids.length).toBeGreaterThan(0);
    expect(await seen(conversation)).toEqual([{ id: ids[0], text: "the answer" }]);
  });

  test("FC-039: text, file, edit and removal all stay in the thread of the route", async () => {
    const { adapter, host, conversation, thread, seen } = await started();
    if (thread === null) return;
    const first = await sent(adapter, delivery(thread, words("one")));
    const second = await sent(adapter, delivery(thread, words("two"), { key: "k2" }));
    await sent(adapter, delivery(thread, words("one, edited"), { messageIds: first }));
    await adapter.capabilities.typing?.start(thread);
    expect((await seen(thread)).map((one) => one.text)).toEqual(["one, edited", "two"]);
    await sent(adapter, delivery(thread, { kind: "delete" }, { messageIds: second }));
    const facts = { name: "notes.txt", mime: "text/plain" };
    const file = await host.files.put(new TextEncoder().encode("notes"), facts);
    const content = { kind: "file", file, caption: "the notes", replyTo: null } as const;
    await sent(adapter, delivery(thread, content, { key: "k3" }));
    expect((await seen(thread)).map((one) => one.text)).toEqual(["one, edited", "the notes"]);
    expect(await seen(conversation)).toEqual([]);
  });

  test("DL-3: an edit changes the message it names and makes no second one", async () => {
    const { adapter, conversation, seen } = await started();
    const ids = await sent(adapter, delivery(conversation, words("draft")));
    expect(await sent(adapter, delivery(conversation, words("final"), { messageIds: ids }))).toEqual(ids);
    expect(await seen(conversation)).toEqual([{ id: ids[0], text: "final" }]);
  });

  test("TN-11: a removed message is gone, and removing it twice is no failure", async () => {
    const { adapter, conversation, seen } = await started();
    const messageIds = await sent(adapter, delivery(conversation, words("preview")));
    await sent(adapter, delivery(conversation, { kind: "delete" }, { messageIds }));
    expect(await seen(conversation)).toEqual([]);
    await sent(adapter, delivery(conversation, { kind: "delete" }, { messageIds }));
  });

  test("DL-3: idempotentSend is claimed exactly when a repeated key shows one message", async () => {
    const { adapter, conversation, seen } = await started();
    const first = await sent(adapter, delivery(conversation, words("once")));
    const again = await sent(adapter, delivery(conversation, words("once")));
    const isOne = first[0] === again[0] && (await seen(conversation)).length === 1;
    expect(adapter.capabilities.idempotentSend ?? false).toBe(isOne);
  });

  test("DL-7: a piece whose formatting is refused goes out plain", async () => {
    const { adapter, conversation, seen, breakNextSend } = await started();
    if (!breakNextSend("formatting")) return;
    await sent(adapter, delivery(conversation, words("rich and plain")));
    expect((await seen(conversation)).map((one) => one.text)).toEqual(["rich and plain"]);
  });

  test("DL-4: a dead conversation fails at once, and says that it is gone", async () => {
    const { adapter, gone } = await started();
    const outcome = await adapter.send(delivery(gone, words("anybody?")), AbortSignal.timeout(10_000));
    expect(outcome).toMatchObject({ outcome: "failed", gone: true });
    expect(outcome.outcome === "failed" && outcome.reason).toMatch(/\w/);
  });

  test("DL-4: a rate limit waits as long as the platform says", async () => {
    const { adapter, conversation, breakNextSend } = await started();
    if (!breakNextSend("rate_limit")) return;
    const outcome = await adapter.send(delivery(conversation, words("x")), AbortSignal.timeout(10_000));
    expect(outcome.outcome).toBe("retry");
    expect(outcome.outcome === "retry" && outcome.afterMs).toBeGreaterThan(0);
  });

  test("DL-3: an outage is to be tried again or unknown, never sent and never final", async () => {
    const { adapter, conversation, seen, breakNextSend } = await started();
    if (!breakNextSend("outage")) return;
    const outcome = await adapter.send(delivery(conversation, words("later")), AbortSignal.timeout(10_000));
    expect(["retry", "unknown"]).toContain(outcome.outcome);
    await sent(adapter, delivery(conversation, words("later")));
    expect((await seen(conversation)).length).toBeGreaterThan(0);
  });

  test("DL-1: a route of another account is refused, not sent somewhere else", async () => {
    const { adapter, conversation, seen } = await started();
    const foreign = { ...conversation, accountId: "another" };
    const outcome = await adapter.send(delivery(foreign, words("x")), AbortSignal.timeout(10_000));
    expect(outcome.outcome).toBe("failed");
    expect(await seen(conversation)).toEqual([]);
  });

  test("TN-11: a preview changes a message that stands there, and the final edit stays", async () => {
    const { adapter, conversation, seen } = await started();
    const { edits } = adapter.capabilities;
    if (edits === undefined) return;
    const messageIds = await sent(adapter, delivery(conversation, words("first words")));
    const piece = { rich: "more words", plain: "more words" };
    await edits.preview(conversation, messageIds[0] ?? "", piece, AbortSignal.timeout(10_000));
    await sent(adapter, delivery(conversation, words("all words"), { messageIds }));
    expect(await seen(conversation)).toEqual([{ id: messageIds[0], text: "all words" }]);
    expect(edits.minIntervalMs(conversation)).toBeGreaterThan(0);
  });
}

function lifeTests(started: () => Promise<AdapterHarness>): void {
  test("CH-5: health begins before ready and ready is said without an error", async () => {
    const { host } = await started();
    expect(host.states.at(-1)).toEqual({ state: "ready", error: null });
  });

  test("CH-6: after stop no event arrives any more", async () => {
    const { adapter, host, personSays } = await started();
    await adapter.stop();
    const before = host.offered.length;
    const said = await personSays("too late").catch(() => null);
    await said?.settled.catch(() => undefined);
    expect(host.offered).toHaveLength(before);
  });

  test("CH-6: stop is allowed twice, and a send after it never claims success", async () => {
    const { adapter, conversation } = await started();
    await adapter.stop();
    await adapter.stop();
    const outcome = await adapter.send(delivery(conversation, words("x")), AbortSignal.timeout(10_000));
    expect(outcome.outcome).not.toBe("sent");
  });

  test("CM-2: registering the same commands twice is harmless", async () => {
    const { adapter } = await started();
    const commands = [{ name: "status", description: "What goes on here", arguments: [] }];
    await adapter.capabilities.nativeCommands?.register(commands);
    await adapter.capabilities.nativeCommands?.register(commands);
  });

  test("DL-6: the renderer counts what it made, and its limit is real", async () => {
    const { adapter } = await started();
    const made = adapter.renderer.render([{ type: "paragraph", children: [{ type: "text", text: "a < b" }] }]);
    expect(made.plain).toContain("a < b");
    expect(made.length).toBeGreaterThan(0);
    expect(adapter.renderer.maxLength).toBeGreaterThan(made.length);
  });
}

async function sent(adapter: ChannelAdapter, what: Delivery): Promise<readonly string[]> {
  const outcome = await adapter.send(what, AbortSignal.timeout(10_000));
  if (outcome.outcome !== "sent") throw new Error(`not sent: ${JSON.stringify(outcome)}`);
  return outcome.messageIds;
}

/** Text that reads the same in every platform's rich form. */
export function words(text: string): DeliveryContent {
  return { kind: "message", piece: { rich: text, plain: text }, replyTo: null, private: false };
}

export function delivery(
  route: Route,
  content: DeliveryContent,
  { key = "k1", messageIds = [] }: { readonly key?: string; readonly messageIds?: readonly string[] } = {},
): Delivery {
  return {
    id: 1,
    key,
    route,
    content,
    state: "sending",
    revision: 0,
    messageIds,
    attempts: 1,
    nextAt: 0,
    reason: null,
    sessionKey: null,
    turnId: null,
    runId: null,
    createdAt: 0,
    settledAt: null,
  };
}
