import type { ThreadAbility } from "../../../src/channel/capabilities.ts";
import type { RenderedPiece, Route } from "../../../src/core/delivery/delivery.ts";
import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { type BotFacts, linkOf } from "../address.ts";
import { readRefusal } from "../errors.ts";
import type { SlackWeb } from "../gateway/lookups.ts";
import { escapeMrkdwn } from "../render.ts";

const yes: ThreadAbility = { can: true };
const no = (reason: string): ThreadAbility => ({ can: false, reason });

/**
 * Whether a root message for a sub-agent's thread can be posted (TB-1). A thread in a direct conversation shares that
 * conversation's session (SK-8), so none can be a sub-agent's own. A thread inside a thread is one beside it.
 */
export async function canMakeThread(web: SlackWeb, { to }: Route): Promise<ThreadAbility> {
  if (to.startsWith("D")) return no(threadTexts.sharedInDirect);
  try {
    const { channel } = await web.conversations.info({ channel: to });
    if (channel?.is_im === true) return no(threadTexts.sharedInDirect);
    if (channel?.is_archived === true) return no(threadTexts.channelArchived);
    return channel?.is_member === false && channel.is_mpim !== true ? no(threadTexts.notInChannel) : yes;
  } catch (error) {
    return no(threadTexts.unanswered("Slack", readRefusal(error).reason));
  }
}

/** How people get to a thread from elsewhere in the workspace. */
export function linkToThread(
  bot: Pick<BotFacts, "teamUrl">,
  { to, threadId }: Route,
  title: string,
): RenderedPiece | null {
  if (threadId === null) return null;
  const url = linkOf(bot, to, { ts: threadId });
  return { rich: `→ <${url}|${escapeMrkdwn(title)}>`, plain: `→ ${title}: ${url}` };
}
