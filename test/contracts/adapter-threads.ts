import { expect, test } from "vitest";
import type { Route } from "../../src/core/delivery/delivery.ts";
import { type AdapterHarness, delivery, words } from "./adapter.ts";

const OPENING = { rich: "Scout works here", plain: "Scout works here" };
const content = { kind: "thread", title: "Scout", opening: OPENING, anchorMessageId: null, keepOpenMs: 0 } as const;

/** Threads that the adapter makes itself (TB-1); a platform without them says so by having no capability. */
export function threadTests(started: () => Promise<AdapterHarness>): void {
  test("TB-1: a thread that was made takes messages, and what people write in it carries its route", async () => {
    const { adapter, host, conversation, personSays, seen } = await started();
    if (adapter.capabilities.threads === undefined) return;
    const thread = await made(adapter, conversation);
    expect(thread).toMatchObject({ channel: adapter.channel, accountId: adapter.accountId });
    expect(thread.threadId).not.toBeNull();
    await adapter.send(delivery(thread, words("hello in here"), { key: "k2" }), AbortSignal.timeout(10_000));
    expect((await seen(thread)).at(-1)?.text).toBe("hello in here");
    await (await personSays("and hello to you", thread)).settled;
    expect(host.accepted.at(-1)?.route).toEqual(thread);
    expect(host.accepted.at(-1)?.thread.kind).toMatch(/^(thread|topic)$/);
  });

  test("TB-2: the opening stands in the thread exactly when its message ids say so", async () => {
    const { adapter, conversation, seen } = await started();
    if (adapter.capabilities.threads === undefined) return;
    const outcome = await adapter.send(delivery(conversation, content), AbortSignal.timeout(10_000));
    if (outcome.outcome !== "sent" || outcome.thread === undefined) throw new Error(JSON.stringify(outcome));
    const texts = [...(await seen(outcome.thread)), ...(await seen(conversation))].map((one) => one.text);
    expect(texts).toEqual(outcome.messageIds.length === 0 ? [] : [expect.stringContaining("Scout works here")]);
  });

  test("TB-7: repeating the delivery makes one thread exactly when idempotentSend is claimed", async () => {
    const { adapter, conversation } = await started();
    if (adapter.capabilities.threads === undefined) return;
    const first = await made(adapter, conversation);
    const again = await made(adapter, conversation, 2);
    expect(again.threadId === first.threadId).toBe(adapter.capabilities.idempotentSend ?? false);
  });

  test("TB-1: from inside a thread a sibling in the same conversation is made, and there may be a link to it", async () => {
    const { adapter, thread: inside } = await started();
    const { threads } = adapter.capabilities;
    if (threads === undefined || inside === null) return;
    expect(await threads.canCreate(inside, AbortSignal.timeout(10_000))).toEqual({ can: true });
    const sibling = await made(adapter, inside);
    expect(sibling.to).toBe(inside.to);
    expect(sibling.threadId).not.toBe(inside.threadId);
    const link = threads.link(sibling, "Scout <1>");
    expect(link === null || link.plain.includes("Scout <1>")).toBe(true);
    expect(link?.rich ?? "").not.toContain("<1>");
  });

  test("TB-1: where no thread can be made it is known before, with a reason", async () => {
    const { adapter, gone } = await started();
    const ability = await adapter.capabilities.threads?.canCreate(gone, AbortSignal.timeout(10_000));
    if (ability === undefined) return;
    expect(ability).toEqual({ can: false, reason: expect.stringMatching(/\w/) });
  });

  test("TB-6: a message to a thread that was deleted fails at once, and says that it is gone", async () => {
    const { adapter, conversation, deleteThread } = await started();
    if (adapter.capabilities.threads === undefined || deleteThread === undefined) return;
    const thread = await made(adapter, conversation);
    await deleteThread(thread);
    const outcome = await adapter.send(delivery(thread, words("anybody?"), { key: "k2" }), AbortSignal.timeout(10_000));
    expect(outcome).toMatchObject({ outcome: "failed", gone: true });
  });
}

async function made(adapter: AdapterHarness["adapter"], from: Route, attempts = 1): Promise<Route> {
  const outcome = await adapter.send({ ...delivery(from, content), attempts }, AbortSignal.timeout(10_000));
  if (outcome.outcome !== "sent" || outcome.thread === undefined)
    throw new Error(`no thread: ${JSON.stringify(outcome)}`);
  return outcome.thread;
}
