import { type APIMessage, Routes } from "discord-api-types/v10";
import { sendInForms } from "../../../src/channel/smaller-forms.ts";
import type { Delivery, DeliveryContent, ReadBack, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { assertNever } from "../../../src/core/runtime.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { isSnowflake, targetOf } from "../address.ts";
import { answerInteraction, type InteractionAnswer } from "../calls/answers.ts";
import { outcomeOf, type Refusal, readRefusal } from "../errors.ts";
import { escapeText } from "../render.ts";
import { sendFile } from "./files.ts";
import { allowedMentions, findEarlier, nonceOf, type OutboundParts, replyReference } from "./send-once.ts";
import { openThread } from "./threads.ts";

type MessageContent = Extract<DeliveryContent, { kind: "message" }>;

/** One try. Each way around a refusal takes one thing away, so the tries end. */
interface Plan {
  readonly replyTo: string | null;
  /** The message to edit; null: a new one. */
  readonly editing: string | null;
  /** The thread was opened for it. */
  readonly opened: boolean;
}

/** Performs one delivery: a send, an edit if it has message ids, or a removal. Never throws; waits for nothing (DL-4). */
export async function carryOut(parts: OutboundParts, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  const looks: ReadBack[] = [];
  const outcome = await act({ ...parts, looked: (what) => void looks.push(what) }, delivery, signal);
  const [readBack] = looks;
  return readBack === undefined ? outcome : { ...outcome, readBack };
}

async function act(parts: OutboundParts, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  const { content, messageIds } = delivery;
  switch (content.kind) {
    case "message":
      return content.interaction === undefined
        ? await sendMessage(parts, { ...delivery, content }, signal)
        : await sendAnswer(parts, { delivery, content, interaction: content.interaction }, signal);
    case "file":
      // A file that was sent stands; there is nothing in it to edit.
      if (messageIds.length > 0) return { outcome: "sent", messageIds };
      return await throughThread(parts, delivery, signal, () => sendFile(parts, { ...delivery, content }, signal));
    case "delete":
      return await removeMessages(parts, delivery, signal);
    case "thread":
      return await openThread(parts, { ...delivery, content }, signal);
    default:
      return assertNever(content);
  }
}

/** In place of the deferred reply; where that is over, in the channel (CM-3). */
async function sendAnswer(parts: OutboundParts, answer: InteractionAnswer, signal: AbortSignal): Promise<SendOutcome> {
  const outcome = await answerInteraction(parts, answer, signal);
  if (outcome.kind === "outcome") return outcome.outcome;
  return await sendMessage(parts, { ...answer.delivery, content: outcome.content }, signal);
}

function sendMessage(
  parts: OutboundParts,
  delivery: Delivery & { readonly content: MessageContent },
  signal: AbortSignal,
): Promise<SendOutcome> {
  return sendInForms(delivery.content.piece, ({ text, isRich, part }) => {
    const shown = isRich ? text : escapeText(text, true);
    if (part === 0) return sendForm(parts, { delivery, text: shown }, signal);
    // A part that follows is a message of its own, and quotes nothing.
    const content = { ...delivery.content, replyTo: null };
    const own = { ...delivery, content, key: `${delivery.key}:${part}`, messageIds: [] };
    return sendForm(parts, { delivery: own, text: shown }, signal);
  });
}

async function sendForm(
  parts: OutboundParts,
  { delivery, text }: { readonly delivery: Delivery & { readonly content: MessageContent }; readonly text: string },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { content, messageIds } = delivery;
  // An id of another platform quotes nothing here (FC-173).
  const replyTo = content.replyTo !== null && isSnowflake(content.replyTo) ? content.replyTo : null;
  let plan: Plan = { replyTo, editing: messageIds[0] ?? null, opened: false };
  for (;;) {
    try {
      return { outcome: "sent", messageIds: [await tryPlan(parts, { delivery, text, plan }, signal)] };
    } catch (error) {
      const refusal = readRefusal(error);
      const next = wayAround(plan, refusal);
      if (next === null) return settle(refusal, plan.editing !== null);
      parts.log.info(
        { reason: refusal.reason, channel: targetOf(delivery.route) },
        "Discord refused a message; it goes another way",
      );
      if (next.opened && !plan.opened) {
        const closed = await reopen(parts, targetOf(delivery.route), signal);
        if (closed !== null) return closed;
      }
      plan = next;
    }
  }
}

/** DL-9: a quote that cannot be → without it. FC-094: a new message only when the old is gone. FC-044: archived → opened. */
function wayAround(plan: Plan, refusal: Refusal): Plan | null {
  if (refusal.kind === "reply_refused" && plan.replyTo !== null) return { ...plan, replyTo: null };
  if (refusal.kind === "message_gone" && plan.editing !== null) return { ...plan, editing: null };
  if (refusal.kind === "archived" && !plan.opened) return { ...plan, opened: true };
  return null;
}

async function tryPlan(
  parts: OutboundParts,
  { delivery, text, plan }: { readonly delivery: Delivery; readonly text: string; readonly plan: Plan },
  signal: AbortSignal,
): Promise<string> {
  const { rest } = parts;
  const channelId = targetOf(delivery.route);
  const edit = async (id: string): Promise<string> => {
    await rest.patch(Routes.channelMessage(channelId, id), {
      body: { content: text, allowed_mentions: allowedMentions(text) },
      signal,
    });
    return id;
  };
  if (plan.editing !== null) return await edit(plan.editing);
  // What replaces a message that is gone must not be taken for that one.
  const nonce = nonceOf(delivery.messageIds.length > 0 ? `${delivery.key}:again` : delivery.key);
  const once = { channelId, delivery, nonce, text };
  const earlier = await findEarlier(parts, once, signal);
  const body = {
    content: text,
    nonce,
    enforce_nonce: true,
    allowed_mentions: allowedMentions(text),
    ...replyReference(plan.replyTo),
  };
  const stands = earlier ?? ((await rest.post(Routes.channelMessages(channelId), { body, signal })) as APIMessage);
  // The nonce gave back what an earlier try has sent; meanwhile the text may have grown.
  return stands.content.trim() === text.trim() ? stands.id : await edit(stands.id);
}

async function removeMessages(parts: OutboundParts, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
  const { messageIds } = delivery;
  const remove = async (): Promise<SendOutcome> => {
    for (const id of messageIds) {
      try {
        await parts.rest.delete(Routes.channelMessage(targetOf(delivery.route), id), { signal });
      } catch (error) {
        if (readRefusal(error).kind !== "message_gone") throw error;
      }
    }
    return { outcome: "sent", messageIds };
  };
  return await throughThread(parts, delivery, signal, remove, true);
}

/** Carries something out; an archived thread is opened for it, once. */
async function throughThread(
  parts: OutboundParts,
  delivery: Delivery,
  signal: AbortSignal,
  act: () => Promise<SendOutcome>,
  repeatable = false,
): Promise<SendOutcome> {
  for (let opened = false; ; opened = true) {
    try {
      return await act();
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind !== "archived" || opened) return settle(refusal, repeatable);
      const closed = await reopen(parts, targetOf(delivery.route), signal);
      if (closed !== null) return closed;
    }
  }
}

/** Opens an archived thread; the outcome when the bot may not (FC-145): never a message in the parent instead. */
async function reopen(parts: OutboundParts, threadId: string, signal: AbortSignal): Promise<SendOutcome | null> {
  try {
    await parts.rest.patch(Routes.channel(threadId), { body: { archived: false }, signal });
    return null;
  } catch (error) {
    const refusal = readRefusal(error);
    const outcome = settle(refusal, true);
    if (outcome.outcome !== "failed" || outcome.gone) return outcome;
    return { ...outcome, closed: true, reason: threadTexts.cannotReopen(refusal.reason) };
  }
}

/** `repeatable`: doing it twice shows the same, so a broken connection leaves nothing in doubt. */
function settle(refusal: Refusal, repeatable: boolean): SendOutcome {
  if (refusal.kind === "network" && repeatable)
    return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: refusal.reason };
  return outcomeOf(refusal);
}
