import type { Api } from "grammy";
import { type SpokenForm, sendInForms } from "../../../src/channel/smaller-forms.ts";
import type { Delivery, DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { assertNever, type Logger } from "../../../src/core/runtime.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { messageNumber, replyParameters, sendThread } from "../address.ts";
import { outcomeOf, type Refusal, readRefusal } from "../errors.ts";
import { type ApiSignal, apiSignal } from "../gateway/transport.ts";
import { chatBucket, type FloodWatch } from "../render.ts";
import { sendFile } from "./files.ts";

export interface OutboundParts {
  readonly api: Api;
  readonly botId: string;
  readonly log: Logger;
  readonly floods: FloodWatch;
  /** The bytes of a stored file, or null when they are gone. */
  readonly readFile: (sha256: string) => Promise<Uint8Array | null>;
}

/** One try of a text message. Each way around a refusal takes one thing away, so the tries end. */
interface Plan {
  readonly replyTo: number | null;
  /** The message to edit; null: a new one. */
  readonly editing: number | null;
}

type MessageContent = Extract<DeliveryContent, { kind: "message" }>;

/** Performs one delivery: a send, an edit if it has message ids, or a removal. Never throws; waits for nothing (DL-4). */
export async function carryOut(parts: OutboundParts, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  const { content, route, messageIds } = delivery;
  const call = apiSignal(signal);
  parts.floods.tried(route.to);
  switch (content.kind) {
    case "message":
      return await sendInForms(content.piece, (form) => sendForm(parts, { form, content, route, messageIds }, call));
    case "file": {
      // A file that was sent stands; there is nothing in it to edit.
      if (messageIds.length > 0) return { outcome: "sent", messageIds };
      const sent = await sendFile({ ...parts, content, route, signal: call });
      return "refusal" in sent ? await settle(parts, route, sent.refusal, call) : sent.outcome;
    }
    case "delete":
      return await removeMessages(parts, { route, messageIds }, call);
    case "thread":
      return await openTopic(parts, { route, title: content.title }, call);
    default:
      return assertNever(content);
  }
}

/**
 * A topic for a sub-agent (TB-1). It has no first message of its own, so the opening follows. Topics cannot be listed: one
 * that was made in a request without an answer cannot be found again (TB-7).
 */
async function openTopic(
  parts: OutboundParts,
  { route, title }: { readonly route: Route; readonly title: string },
  signal: ApiSignal,
): Promise<SendOutcome> {
  try {
    const topic = await parts.api.createForumTopic(route.to, title, {}, signal);
    return {
      outcome: "sent",
      messageIds: [],
      thread: { ...route, threadId: String(topic.message_thread_id) },
    };
  } catch (error) {
    return await settle(parts, route, readRefusal(error), signal);
  }
}

async function sendForm(
  parts: OutboundParts,
  message: {
    readonly form: SpokenForm;
    readonly content: MessageContent;
    readonly route: Route;
    readonly messageIds: readonly string[];
  },
  signal: ApiSignal,
): Promise<SendOutcome> {
  const { form, content, route, messageIds } = message;
  const [shown] = messageIds;
  let plan: Plan = {
    replyTo: form.part > 0 || content.replyTo === null ? null : messageNumber(content.replyTo),
    editing: form.part > 0 || shown === undefined ? null : messageNumber(shown),
  };
  for (;;) {
    try {
      const id = await tryPlan(parts.api, { form, route, plan }, signal);
      return { outcome: "sent", messageIds: [String(id)] };
    } catch (error) {
      const refusal = readRefusal(error);
      // What is to be shown is shown already (FC-094).
      if (refusal.kind === "not_modified") return { outcome: "sent", messageIds };
      const next = wayAround(plan, refusal);
      if (next === null) return await settle(parts, route, refusal, signal, plan.editing !== null);
      parts.log.info({ reason: refusal.reason, chat: route.to }, "Telegram refused a message; it is sent another way");
      plan = next;
    }
  }
}

/** DL-9: quoted message gone → without the quote. FC-094: a new message only when the old is gone. */
function wayAround(plan: Plan, refusal: Refusal): Plan | null {
  if (refusal.kind === "reply_gone" && plan.replyTo !== null) return { ...plan, replyTo: null };
  if (refusal.kind === "message_gone" && plan.editing !== null) return { ...plan, editing: null };
  return null;
}

async function tryPlan(
  api: Api,
  { form, route, plan }: { readonly form: SpokenForm; readonly route: Route; readonly plan: Plan },
  signal: ApiSignal,
): Promise<number> {
  const { text, isRich } = form;
  const shape = { ...(isRich ? { parse_mode: "HTML" as const } : {}), link_preview_options: { is_disabled: true } };
  if (plan.editing !== null) {
    await api.editMessageText(route.to, plan.editing, text, shape, signal);
    return plan.editing;
  }
  const sent = await api.sendMessage(
    route.to,
    text,
    { ...shape, ...sendThread(route), ...replyParameters(plan.replyTo) },
    signal,
  );
  return sent.message_id;
}

async function removeMessages(
  parts: OutboundParts,
  message: { readonly route: Route; readonly messageIds: readonly string[] },
  signal: ApiSignal,
): Promise<SendOutcome> {
  const { route, messageIds } = message;
  for (const id of messageIds) {
    const number = messageNumber(id);
    if (number === null) continue;
    try {
      await parts.api.deleteMessage(route.to, number, signal);
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind !== "message_gone") return await settle(parts, route, refusal, signal, true);
    }
  }
  return { outcome: "sent", messageIds };
}

/**
 * The outcome when there is no other way. `repeatable`: an edit or a removal shows the same when it is carried out twice,
 * so a broken connection leaves nothing in doubt.
 */
async function settle(
  parts: OutboundParts,
  route: Route,
  refusal: Refusal,
  signal: ApiSignal,
  repeatable = false,
): Promise<SendOutcome> {
  if (refusal.kind === "network" && repeatable) {
    return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: refusal.reason };
  }
  if (refusal.kind === "topic_closed" || (refusal.kind === "chat_gone" && route.to.startsWith("-"))) {
    const isMember = await isStillMember(parts, route, signal);
    if (isMember) {
      const reason = threadTexts.topicClosed(refusal.reason);
      return { outcome: "failed", reason, gone: false, closed: true, movedTo: null };
    }
    return { outcome: "failed", reason: refusal.reason, gone: true, movedTo: null };
  }
  const bucket =
    refusal.kind === "rate_limited" ? parts.floods.bucketFor(route.to, refusal.afterMs) : chatBucket(route.to);
  return outcomeOf(refusal, bucket);
}

/** A closed topic gives the same refusal as a real removal; only the bot's own membership tells them apart (FC-170). */
async function isStillMember(parts: OutboundParts, route: Route, signal: ApiSignal): Promise<boolean> {
  try {
    const member = await parts.api.getChatMember(route.to, Number(parts.botId), signal);
    return member.status === "restricted" ? member.is_member : member.status !== "left" && member.status !== "kicked";
  } catch (error) {
    const refusal = readRefusal(error);
    parts.log.debug({ reason: refusal.reason, chat: route.to }, "the bot's own membership could not be read");
    // Without an answer nothing is proved: a conversation is not declared dead for a broken connection.
    return refusal.kind === "network" || refusal.kind === "server" || refusal.kind === "rate_limited";
  }
}
