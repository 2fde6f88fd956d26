import type { REST } from "discord.js";
import { type APIMessage, MessageFlags, Routes } from "discord-api-types/v10";
import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import type { Delivery, DeliveryContent, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { TOO_LATE, TOO_LATE_PARTS } from "../../../src/core/texts/platforms/accounts.ts";
import { bornAt, targetOf } from "../address.ts";
import { outcomeOf, readRefusal } from "../errors.ts";
import { allowedMentions, findEarlier } from "../outbound/send-once.ts";

/** Answers are taken for 15 minutes; a little less, since this one must still arrive. */
const TOKEN_MS = 14.5 * 60_000;

/** A deferred call. Its id in events and deliveries holds all of this, so that a restart within 15 minutes answers in place. */
export interface Deferred {
  readonly id: string;
  readonly userId: string;
  readonly applicationId: string;
  /** The deferred reply is seen by the person only. */
  readonly ephemeral: boolean;
  readonly token: string;
}

export function interactionIdOf({ id, userId, applicationId, ephemeral, token }: Deferred): string {
  return [id, userId, applicationId, ephemeral ? "private" : "open", token].join(" ");
}

export function readInteractionId(text: string): Deferred | null {
  const [id, userId, applicationId, seen, token, ...rest] = text.split(" ");
  if (!id || !userId || !applicationId || !seen || !token || rest.length > 0) return null;
  return { id, userId, applicationId, ephemeral: seen === "private", token };
}

export interface InteractionAnswer {
  readonly delivery: Delivery;
  readonly content: Extract<DeliveryContent, { kind: "message" }>;
  readonly interaction: { readonly id: string; readonly first: boolean };
}

interface AnswerParts {
  readonly rest: REST;
  readonly botId: string;
  readonly clock: PlatformClock;
}

/** `elsewhere`: Discord takes no answer in place any more; `content` is what the channel gets. */
type Answered =
  | { readonly kind: "outcome"; readonly outcome: SendOutcome }
  | { readonly kind: "elsewhere"; readonly content: InteractionAnswer["content"] };

/**
 * Answers a call in place (CM-3): the first part fills the deferred reply, the others follow it. An answer for the person only,
 * where everyone sees that one is awaited, removes that and follows up privately. Never throws.
 */
export async function answerInteraction(
  parts: AnswerParts,
  answer: InteractionAnswer,
  signal: AbortSignal,
): Promise<Answered> {
  const { delivery, content, interaction } = answer;
  const call = readInteractionId(interaction.id);
  if (call === null) return elsewhere(content, interaction.first);
  const isPrivate = content.private || call.ephemeral;
  if (parts.clock.now() - bornAt(call.id) > TOKEN_MS) return elsewhere(content, interaction.first);
  try {
    const messageId = await inPlace(parts, { answer, call, isPrivate }, signal);
    return { kind: "outcome", outcome: { outcome: "sent", messageIds: [messageId] } };
  } catch (error) {
    const refusal = readRefusal(error);
    if (refusal.kind === "interaction_over") return elsewhere(content, interaction.first);
    const repeatable = interaction.first && (call.ephemeral || !content.private);
    const unclear = refusal.kind === "network" && (repeatable || delivery.messageIds.length > 0);
    const retry = { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: refusal.reason } as const;
    return { kind: "outcome", outcome: unclear ? retry : outcomeOf(refusal) };
  }
}

async function inPlace(
  parts: AnswerParts,
  given: { readonly answer: InteractionAnswer; readonly call: Deferred; readonly isPrivate: boolean },
  signal: AbortSignal,
): Promise<string> {
  const { rest } = parts;
  const { answer, call, isPrivate } = given;
  const { delivery, content, interaction } = answer;
  const body = { content: content.piece.rich, allowed_mentions: allowedMentions(content.piece.rich) };
  // The token in the path is the proof; the bot's own is not needed.
  const options = { auth: false, signal } as const;
  const message = (id: string) => Routes.webhookMessage(call.applicationId, call.token, id);
  const [known] = delivery.messageIds;
  if (known !== undefined) {
    await rest.patch(message(known), { ...options, body });
    return known;
  }
  if (interaction.first && isPrivate === call.ephemeral) {
    return ((await rest.patch(message("@original"), { ...options, body })) as APIMessage).id;
  }
  if (interaction.first) await forget(rest, message("@original"), options);
  if (!isPrivate) {
    const once = { channelId: targetOf(delivery.route), delivery, nonce: "", text: body.content };
    const earlier = await findEarlier(parts, once, signal);
    if (earlier !== null) return earlier.id;
  }
  const follow = await rest.post(Routes.webhook(call.applicationId, call.token), {
    ...options,
    body: { ...body, ...(isPrivate ? { flags: MessageFlags.Ephemeral } : {}) },
    query: new URLSearchParams({ wait: "true" }),
  });
  return (follow as APIMessage).id;
}

async function forget(
  rest: REST,
  route: `/${string}`,
  options: { readonly auth: false; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await rest.delete(route, options);
  } catch (error) {
    if (readRefusal(error).kind !== "message_gone") throw error;
  }
}

/** CM-3: in the channel. A private reply is not shown to everyone: one line says that the command ran. */
function elsewhere(content: InteractionAnswer["content"], first: boolean): Answered {
  if (!content.private) return { kind: "elsewhere", content };
  if (first) return { kind: "elsewhere", content: { ...content, piece: { rich: TOO_LATE, plain: TOO_LATE } } };
  const reason = TOO_LATE_PARTS;
  return { kind: "outcome", outcome: { outcome: "failed", reason, gone: false, movedTo: null } };
}
