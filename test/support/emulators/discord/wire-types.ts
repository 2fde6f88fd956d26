/** What travels over the wire, in the published types. Types only: the emulator runs without the library. */
export type {
  APIAllowedMentions,
  APIApplicationCommand,
  APIApplicationCommandOption,
  APIAttachment,
  APIEmbed,
  APIMessage,
  APIMessageTopLevelComponent,
  APIUser,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIApplicationCommandsJSONBody,
  RESTPostAPIChannelMessageJSONBody,
} from "discord.js";

/** Channel types as on the wire (Channel, channel types). */
export const CHANNEL = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
  media: 16,
} as const;

export type ChannelType = (typeof CHANNEL)[keyof typeof CHANNEL];

export interface GuildForumTag {
  id: string;
  name: string;
  moderated: boolean;
  emoji_id: string | null;
  emoji_name: string | null;
}

/** Message types (Message, message types). */
export const MESSAGE_TYPE = {
  default: 0,
  threadCreated: 18,
  reply: 19,
  chatInputCommand: 20,
  threadStarter: 21,
} as const;

/** Message flags (Message, message flags). */
export const FLAG = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  componentsV2: 1 << 15,
} as const;

/** Gateway intents (Gateway, list of intents). */
export const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  presences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;
