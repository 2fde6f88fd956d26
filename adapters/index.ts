import type { ChannelDescriptor } from "../src/channel/descriptor.ts";
import { discordDescriptor } from "./discord/descriptor.ts";
import { slackDescriptor } from "./slack/descriptor.ts";
import { telegramDescriptor } from "./telegram/descriptor.ts";
import { webDescriptor } from "./web/descriptor.ts";

/** The only list of channels. Adding one is a folder and a line here (CH-7). */
export const channels: readonly ChannelDescriptor[] = [
  webDescriptor,
  telegramDescriptor,
  discordDescriptor,
  slackDescriptor,
];
