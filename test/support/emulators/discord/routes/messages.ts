import { checkAllowedMentions, mentionsIn } from "../mentions.ts";
import { change, remove } from "../messages.ts";
import type { ChannelRecord, StoredMessage } from "../records.ts";
import { badRequest, forbidden, invalidForm } from "../refusal.ts";
import { compareIds, isSnowflake } from "../snowflakes.ts";
import type { APIMessage } from "../wire-types.ts";
import { FLAG, MESSAGE_TYPE } from "../wire-types.ts";
import type { World } from "../world.ts";
import { withComponentIds } from "./components.ts";
import { channelFor, may, messageFor, needs, needsActive } from "./destination.ts";
import type { BotHandlers, CallContext, MessageBody } from "./handler.ts";
import { attachmentsOf, checkLimits, trimmed } from "./message-content.ts";
import { viewFor } from "./sending.ts";

const SYSTEM_TYPES: readonly number[] = [MESSAGE_TYPE.threadCreated, MESSAGE_TYPE.threadStarter];

/** What an edit makes of a message: fields that are not named stay. Refuses an edit that leaves nothing. */
export function edited(
  world: World,
  channel: ChannelRecord,
  stored: StoredMessage,
  written: { body: MessageBody; files: CallContext["files"] },
): Partial<APIMessage> {
  const { body } = written;
  const { message } = stored;
  checkLimits(body);
  checkAllowedMentions(body.allowed_mentions);
  const content = body.content === undefined ? message.content : trimmed(body.content ?? "");
  const embeds = body.embeds === undefined ? message.embeds : (body.embeds ?? []);
  const components =
    body.components === undefined ? (message.components ?? []) : withComponentIds(body.components ?? []);
  const attachments = attachmentsOf(world, channel.id, written, message.attachments);
  if (content === "" && embeds.length + components.length + attachments.length === 0) {
    throw badRequest(50006, "Cannot send an empty message");
  }
  const target = channel.messages.get(message.message_reference?.message_id ?? "") ?? null;
  const mentions = mentionsIn(
    world,
    { channel, authorId: stored.authorId },
    { content, allowed: body.allowed_mentions, replyTo: target },
  );
  const suppress = FLAG.suppressEmbeds;
  const flags = ((message.flags ?? 0) & ~suppress) | ((body.flags ?? message.flags ?? 0) & suppress);
  return { content, embeds, components, attachments, flags, mentions: mentions.users, mention_roles: mentions.roles };
}

function limitIn(query: URLSearchParams): number {
  const text = query.get("limit") ?? "50";
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit;
  throw invalidForm({
    path: ["limit"],
    code: limit > 100 ? "NUMBER_TYPE_MAX" : "NUMBER_TYPE_MIN",
    message: `Value should be between 1 and 100, not ${text}.`,
  });
}

function idOf(query: URLSearchParams, name: string): string | null {
  const id = query.get(name);
  if (id === null || isSnowflake(id) || id === "0") return id;
  throw invalidForm({ path: [name], code: "NUMBER_TYPE_COERCE", message: `Value "${id}" is not snowflake.` });
}

/** Get Channel Messages: newest first; `after` takes the oldest of what came later, `around` half of each side. */
function page(messages: readonly StoredMessage[], query: URLSearchParams): StoredMessage[] {
  const limit = limitIn(query);
  const [around, before, after] = ["around", "before", "after"].map((name) => idOf(query, name));
  const sorted = [...messages].sort((a, b) => compareIds(a.message.id, b.message.id));
  if (around !== null && around !== undefined) {
    const half = Math.floor(limit / 2);
    const older = sorted.filter((m) => compareIds(m.message.id, around) < 0).slice(-half || sorted.length);
    const newer = sorted.filter((m) => compareIds(m.message.id, around) >= 0).slice(0, limit - half);
    return [...older, ...newer].slice(-limit).reverse();
  }
  if (before !== null && before !== undefined) {
    return sorted
      .filter((m) => compareIds(m.message.id, before) < 0)
      .slice(-limit)
      .reverse();
  }
  if (after !== null && after !== undefined) {
    return sorted
      .filter((m) => compareIds(m.message.id, after) > 0)
      .slice(0, limit)
      .reverse();
  }
  return sorted.slice(-limit).reverse();
}

export const messageRoutes: BotHandlers<"list_messages" | "get_message" | "update_message" | "delete_message"> = {
  list_messages: (context) => {
    const channel = channelFor(context);
    const readable = may(context, channel, "ReadMessageHistory");
    const there = [...channel.messages.values()].filter((m) => !m.deleted && m.onlyFor === null && readable);
    return page(there, context.query).map((stored) => viewFor(context, channel, stored));
  },

  get_message: (context) => {
    const channel = channelFor(context);
    needs(context, channel, "ReadMessageHistory");
    return viewFor(context, channel, messageFor(context, channel));
  },

  update_message: (context, body) => {
    const channel = channelFor(context);
    const stored = messageFor(context, channel);
    if (stored.authorId !== context.bot.user.id)
      throw forbidden(50005, "Cannot edit a message authored by another user");
    if (SYSTEM_TYPES.includes(stored.message.type)) {
      throw forbidden(50021, "Cannot execute action on a system message");
    }
    needsActive(channel);
    const { world, files } = context;
    change(world, channel, stored, edited(world, channel, stored, { body, files }));
    return viewFor(context, channel, stored);
  },

  delete_message: (context) => {
    const channel = channelFor(context);
    const stored = messageFor(context, channel);
    if (stored.authorId !== context.bot.user.id) {
      if (channel.dm !== null) throw forbidden(50003, "Cannot execute action on a DM channel");
      needs(context, channel, "ManageMessages");
    }
    needsActive(channel);
    remove(context.world, channel, stored);
    return undefined;
  },
};
