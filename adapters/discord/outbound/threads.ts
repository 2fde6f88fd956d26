import { type Client, PermissionFlagsBits } from "discord.js";
import { ChannelType } from "discord-api-types/v10";
import type { ThreadAbility } from "../../../src/channel/capabilities.ts";
import type { RenderedPiece } from "../../../src/core/delivery/delivery.ts";
import type { Route } from "../../../src/core/delivery/route.ts";
import { readRefusal } from "../errors.ts";

const yes: ThreadAbility = { can: true };
const no = (reason: string): ThreadAbility => ({ can: false, reason });

const NEEDED = [
  ["ViewChannel", PermissionFlagsBits.ViewChannel],
  ["SendMessages", PermissionFlagsBits.SendMessages],
  ["SendMessagesInThreads", PermissionFlagsBits.SendMessagesInThreads],
] as const;
const ON_MESSAGES = [
  ...NEEDED,
  ["CreatePublicThreads", PermissionFlagsBits.CreatePublicThreads],
  ["ReadMessageHistory", PermissionFlagsBits.ReadMessageHistory],
] as const;

/** Whether a thread can be made in the route's channel (TB-1); a thread inside a thread is one beside it. Never throws. */
export async function canMakeThread(client: Client<true>, { to }: Route): Promise<ThreadAbility> {
  try {
    const channel = await client.channels.fetch(to);
    if (channel === null) return no("the channel is not known");
    if (channel.isDMBased()) return no("direct messages have no threads");
    const isForum = channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia;
    const hasThreads = channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement;
    if (!isForum && !hasThreads) return no("this kind of channel has no threads");
    const held = channel.permissionsFor(client.user);
    const missing = (isForum ? NEEDED : ON_MESSAGES).filter(([, flag]) => held?.has(flag) !== true);
    if (missing.length === 0) return yes;
    return no(`the bot lacks permissions here: ${missing.map(([name]) => name).join(", ")}`);
  } catch (error) {
    return no(`Discord did not say whether threads can be made: ${readRefusal(error).reason}`);
  }
}

/** Discord shows a thread's name itself. */
export function linkToThread({ threadId }: Route, title: string): RenderedPiece | null {
  return threadId === null ? null : { rich: `→ <#${threadId}>`, plain: `→ ${title}: <#${threadId}>` };
}
