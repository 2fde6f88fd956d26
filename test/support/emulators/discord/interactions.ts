import { tell } from "./gateway/events.ts";
import { messageView } from "./message-view.ts";
import type { BotRecord, ChannelRecord, InteractionRecord, StoredMessage } from "./records.ts";
import { channelShape, memberShape } from "./shapes.ts";
import type { APIUser } from "./wire-types.ts";
import type { World } from "./world.ts";

/** Interactions: the first answer within 3 seconds, everything else within 15 minutes. */
export const ANSWER_MS = 3000;
export const TOKEN_MS = 15 * 60_000;

const TYPES = { command: 2, button: 3, autocomplete: 4 } as const;

export interface NewInteraction {
  kind: InteractionRecord["kind"];
  bot: BotRecord;
  user: APIUser;
  channel: ChannelRecord;
  data: Record<string, unknown>;
  /** Buttons: the message they are under. */
  message?: StoredMessage;
}

function who(world: World, { channel, user }: NewInteraction): Record<string, unknown> {
  const guild = world.guildOf(channel);
  const member = guild?.members.get(user.id);
  if (guild === null || member === undefined) return { user };
  const permissions = String(world.permissions(channel, user.id));
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale: "en-US", features: [] },
    guild_locale: "en-US",
    member: { ...memberShape(member), permissions },
  };
}

/** Somebody has used a command or pressed a button: the bot hears INTERACTION_CREATE, whatever its intents. */
export function interact(world: World, given: NewInteraction): InteractionRecord {
  const { bot, channel, kind, message, user } = given;
  const id = world.nextId();
  const record: InteractionRecord = {
    id,
    token: `emulated-interaction-${Buffer.from(id).toString("base64url")}`,
    kind,
    bot,
    user,
    channel,
    createdAt: world.clock(),
    state: "waiting",
    callbackType: null,
    originalId: message?.message.id ?? null,
    messageIds: [],
    choices: null,
    modal: null,
  };
  world.interactions.set(id, record);
  world.later(ANSWER_MS, () => {
    if (record.state === "waiting") record.state = "failed";
    world.signals.changed();
  });
  tell([bot], {
    t: "INTERACTION_CREATE",
    intents: 0,
    guildId: channel.guildId,
    data: () => ({
      id,
      application_id: bot.user.id,
      type: TYPES[kind],
      data: given.data,
      token: record.token,
      version: 1,
      channel_id: channel.id,
      channel: channelShape(channel, bot),
      app_permissions: String(BigInt.asUintN(53, world.permissions(channel, bot.user.id))),
      locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: { 0: channel.guildId ?? "0" },
      context: channel.guildId === null ? 1 : 0,
      attachment_size_limit: 10 * 1024 * 1024,
      ...who(world, given),
      ...(message === undefined ? {} : { message: messageView(world, channel, message, { bot, content: true }) }),
    }),
  });
  world.signals.changed();
  return record;
}
