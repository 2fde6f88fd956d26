import type { Api } from "grammy";
import type { ThreadAbility } from "../../../src/channel/capabilities.ts";
import type { RenderedPiece, Route } from "../../../src/core/delivery/delivery.ts";
import { escapeHtml } from "../../../src/core/text/plain-text.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { type BotFacts, isPrivateChat } from "../address.ts";
import { readRefusal } from "../errors.ts";
import { apiSignal } from "../gateway/transport.ts";

const yes: ThreadAbility = { can: true };
const no = (reason: string): ThreadAbility => ({ can: false, reason });

/**
 * Whether a topic can be made in the route's chat (TB-1): a private chat when the bot has topics on, a forum supergroup when
 * the bot may manage topics. A topic inside a topic is one beside it.
 */
export async function canMakeTopic(
  { api, bot }: { readonly api: Api; readonly bot: BotFacts },
  { to }: Route,
  signal: AbortSignal,
): Promise<ThreadAbility> {
  if (isPrivateChat(to)) return bot.hasTopics ? yes : no(threadTexts.topicsOff);
  try {
    const chat = await api.getChat(to, apiSignal(signal));
    if (chat.type !== "supergroup" || chat.is_forum !== true) return no(threadTexts.noTopics);
    const member = await api.getChatMember(to, Number(bot.id), apiSignal(signal));
    if (member.status === "creator") return yes;
    const isAdmin = member.status === "administrator";
    const held = member.status === "restricted" ? member : chat.permissions;
    const mayManage = (isAdmin ? member : held)?.can_manage_topics === true;
    // Who is no administrator may be kept from writing, in all topics at once.
    const mayWrite = isAdmin || held?.can_send_messages !== false;
    if (mayManage && mayWrite) return yes;
    return no(mayWrite ? threadTexts.topicsDenied : threadTexts.writingDenied(mayManage));
  } catch (error) {
    return no(threadTexts.unanswered("Telegram", readRefusal(error).reason));
  }
}

/** Telegram has links into topics of supergroups only. */
export function linkToTopic({ to, threadId }: Route, title: string): RenderedPiece | null {
  const internal = /^-100(\d+)$/.exec(to)?.[1];
  if (internal === undefined || threadId === null) return null;
  const url = `https://t.me/c/${internal}/${threadId}`;
  return { rich: `→ <a href="${url}">${escapeHtml(title)}</a>`, plain: `→ ${title}: ${url}` };
}
