import { sendInForms } from "../../../src/channel/smaller-forms.ts";
import type { Delivery, DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { assertNever, type Logger } from "../../../src/core/runtime.ts";
import { slackTexts, TOO_LATE, TOO_LATE_PARTS } from "../../../src/core/texts/platforms/accounts.ts";
import { isTs } from "../address.ts";
import type { Asker, Askers } from "../calls/asked.ts";
import { answerPrivately } from "../calls/private-answer.ts";
import { outcomeOf, type Refusal, readRefusal } from "../errors.ts";
import type { Seen } from "../missed/seen.ts";
import { channelBucket, escapeMrkdwn } from "../render.ts";
import { type SendFileParts, sendFile } from "./files.ts";
import type { Standing } from "./read-back.ts";
import { findFile, findSent, metadataOf } from "./read-back.ts";

export interface OutboundParts extends SendFileParts {
  readonly askers: Askers;
  readonly log: Logger;
  readonly seen: Pick<Seen, "noteThread">;
}

type MessageContent = Extract<DeliveryContent, { kind: "message" }>;
/** A post that has no message yet. */
interface Post {
  readonly delivery: Delivery;
  readonly route: Route;
  readonly text: string;
}

/** Performs one delivery: a send, an edit if it has message ids, or a removal. Never throws; waits for nothing (DL-4). */
export async function carryOut(parts: OutboundParts, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  if (signal.aborted) return { outcome: "unknown", left: false, reason: slackTexts.calledOffBefore };
  const { promise: calledOff, resolve } = Promise.withResolvers<SendOutcome>();
  const onAbort = (): void => {
    parts.memory.doubt(delivery.key);
    resolve({ outcome: "unknown", left: true, reason: slackTexts.calledOffDuring });
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([act(parts, delivery), calledOff]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function act(parts: OutboundParts, delivery: Delivery): Promise<SendOutcome> {
  const { content, route, messageIds } = delivery;
  switch (content.kind) {
    case "message":
      return await sendMessage(parts, delivery, content);
    case "file":
      // A file that was sent stands; there is nothing in it to edit.
      return messageIds.length > 0 ? { outcome: "sent", messageIds } : await shareFile(parts, delivery, content);
    case "delete":
      return await removeMessages(parts, delivery);
    case "thread": {
      // A thread cannot hold another one: from inside, its sibling is made (TB-1).
      const top = { ...route, threadId: null };
      const root = await postOnce(parts, { delivery, route: top, text: content.opening.rich });
      const ts = root.outcome === "sent" ? root.messageIds[0] : undefined;
      if (ts === undefined) return root;
      parts.seen.noteThread(route.to, ts);
      return { outcome: "sent", messageIds: [ts], thread: { ...top, threadId: ts } };
    }
    default:
      return assertNever(content);
  }
}

/**
 * Where a message stands is all in its route: Slack has no quotes, and the thread of the answered message is in the route
 * already when `replyToMode` wants one (DL-9).
 */
function sendMessage(parts: OutboundParts, delivery: Delivery, content: MessageContent): Promise<SendOutcome> {
  return sendInForms(content.piece, ({ text, isRich, part }) => {
    const own = part === 0 ? delivery : { ...delivery, key: `${delivery.key}:${part}`, messageIds: [] };
    return sendForm(parts, own, { content, text: isRich ? text : escapeMrkdwn(text) });
  });
}

async function sendForm(
  parts: OutboundParts,
  delivery: Delivery,
  { content, text }: { readonly content: MessageContent; readonly text: string },
): Promise<SendOutcome> {
  const { route, messageIds } = delivery;
  const [editing] = messageIds;
  if (editing !== undefined) return await edit(parts, { delivery, route, text }, editing);
  const asker = parts.askers.of(delivery, parts.clock.now());
  if (asker !== null && content.private && isWorthHiding(route, asker)) {
    const answered = await answerPrivately(parts.web, { route, text, asker });
    if (answered !== null) return answered;
  }
  if (content.private && !route.to.startsWith("D")) return await standIn(parts, delivery, content);
  const outcome = await postOnce(parts, { delivery, route, text });
  // A command may be typed where the bot is not: there only the call itself takes an answer.
  if (outcome.outcome === "failed" && outcome.gone && asker?.by === "slash")
    return (await answerPrivately(parts.web, { route, text, asker })) ?? outcome;
  return outcome;
}

/** CM-3: a private reply is never posted in a shared conversation; one line replaces all its pieces. */
async function standIn(parts: OutboundParts, delivery: Delivery, content: MessageContent): Promise<SendOutcome> {
  if (content.interaction?.first === false) {
    const reason = TOO_LATE_PARTS;
    return { outcome: "failed", reason, gone: false, movedTo: null };
  }
  return await postOnce(parts, { delivery, route: delivery.route, text: TOO_LATE });
}

function isWorthHiding(route: Route, asker: Asker): boolean {
  return asker.by === "slash" || !route.to.startsWith("D");
}

/** Posts, unless a message with this delivery's key stands already (DL-3): that one is brought up to date instead. */
async function postOnce(parts: OutboundParts, post: Post): Promise<SendOutcome> {
  const { delivery, route } = post;
  const { memory } = parts;
  const known = memory.find(delivery.key);
  const looks = known === null && isRepeated(parts, delivery);
  let standing: Standing | null;
  try {
    standing = looks ? await findSent(parts, delivery, route) : known;
  } catch (error) {
    return lookFailed(parts, delivery, readRefusal(error));
  }
  const outcome = standing === null ? await write(parts, post) : await bringUpToDate(parts, post, standing);
  return looks ? { ...outcome, readBack: standing === null ? "not found" : "found" } : outcome;
}

async function bringUpToDate(parts: OutboundParts, post: Post, standing: Standing): Promise<SendOutcome> {
  parts.memory.remember(post.delivery.key, standing);
  if (standing.text === post.text) return { outcome: "sent", messageIds: [standing.ts] };
  return await edit(parts, post, standing.ts);
}

function isRepeated({ memory }: OutboundParts, delivery: Delivery): boolean {
  return delivery.attempts > 1 || memory.isDoubtful(delivery.key);
}

/** Nothing was sent by this try. Without a look a second message could stand, so the delivery backs off until there is one. */
function lookFailed(parts: OutboundParts, delivery: Delivery, refusal: Refusal): SendOutcome {
  if (refusal.kind === "network") return { outcome: "unknown", left: false, reason: refusal.reason };
  if (refusal.kind === "missing_scope" || refusal.kind === "refused") {
    parts.log.warn(
      { reason: refusal.reason, key: delivery.key },
      "Slack does not show whether a message was sent before",
    );
    return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: refusal.reason };
  }
  return outcomeOf(refusal, channelBucket(delivery.route.to));
}

async function write(parts: OutboundParts, { delivery, route, text }: Post): Promise<SendOutcome> {
  const { memory } = parts;
  try {
    const { ts } = await parts.web.chat.postMessage({
      channel: route.to,
      text,
      unfurl_links: false,
      unfurl_media: false,
      metadata: metadataOf(delivery.key),
      ...(route.threadId === null ? {} : { thread_ts: route.threadId }),
    });
    if (ts === undefined) return { outcome: "unknown", left: true, reason: slackTexts.noMessage };
    memory.remember(delivery.key, { ts, text });
    return { outcome: "sent", messageIds: [ts] };
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal.kind === "network" && refusal.left) memory.doubt(delivery.key);
    return outcomeOf(refusal, channelBucket(route.to));
  }
}

/** `blocks: []`: without it blocks would stay, and hide the text. */
async function edit(parts: OutboundParts, post: Post, ts: string): Promise<SendOutcome> {
  const { delivery, route, text } = post;
  if (!isTs(ts)) return { outcome: "sent", messageIds: [ts] };
  try {
    await parts.web.chat.update({ channel: route.to, ts, text, blocks: [] });
    parts.memory.remember(delivery.key, { ts, text });
    return { outcome: "sent", messageIds: [ts] };
  } catch (error) {
    const refusal = readRefusal(error);
    parts.memory.forget(delivery.key);
    // FC-094: a new message only when the old one is gone.
    if (refusal.kind === "message_gone") return await write(parts, post);
    return repeatable(refusal, route);
  }
}

async function removeMessages(parts: OutboundParts, { route, messageIds, key }: Delivery): Promise<SendOutcome> {
  parts.memory.forget(key);
  for (const ts of messageIds) {
    if (!isTs(ts)) continue;
    try {
      await parts.web.chat.delete({ channel: route.to, ts });
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind !== "message_gone") return repeatable(refusal, route);
    }
  }
  return { outcome: "sent", messageIds };
}

async function shareFile(
  parts: OutboundParts,
  delivery: Delivery,
  content: Extract<DeliveryContent, { kind: "file" }>,
): Promise<SendOutcome> {
  const { memory } = parts;
  const { key, route } = delivery;
  let looks = false;
  try {
    const known = memory.find(key);
    looks = known === null && isRepeated(parts, delivery);
    const standing = looks ? await findFile(parts, delivery, content.file) : known;
    if (standing !== null) {
      memory.remember(key, standing);
      return { outcome: "sent", messageIds: [standing.ts], ...(looks ? { readBack: "found" } : {}) };
    }
  } catch (error) {
    return lookFailed(parts, delivery, readRefusal(error));
  }
  let mayStand = false;
  try {
    const outcome = await sendFile(parts, delivery, content, () => {
      mayStand = true;
    });
    const ts = outcome.outcome === "sent" ? outcome.messageIds[0] : undefined;
    if (ts !== undefined) memory.remember(key, { ts, text: null });
    return looks ? { ...outcome, readBack: "not found" } : outcome;
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal.kind !== "network") return outcomeOf(refusal, channelBucket(route.to));
    if (mayStand && refusal.left) memory.doubt(key);
    return { outcome: "unknown", left: mayStand && refusal.left, reason: refusal.reason };
  }
}

/** Repeating an edit or a removal shows the same, so a broken connection leaves nothing in doubt. */
function repeatable(refusal: Refusal, route: Route): SendOutcome {
  if (refusal.kind === "network")
    return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: refusal.reason };
  return outcomeOf(refusal, channelBucket(route.to));
}
