import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import { reconnectMs } from "../../../src/channel/single-connection.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { pause } from "../../../src/core/time.ts";
import { compareIds } from "../address.ts";
import { readRefusal } from "../errors.ts";
import type { Directory } from "../gateway/directory.ts";
import type { DiscordMessage } from "../inbound/content.ts";
import type { Seen } from "./seen.ts";

const PAGE = 100;
/** 500 messages of one conversation; the oldest hundred and the newest; the operator is told of more. */
const MOST_PAGES = 5;
const TRIES = 8;

export interface CatchUpParts {
  readonly rest: REST;
  readonly seen: Seen;
  readonly directory: Directory;
  /** Everything up to this message is known; null: the conversation is not one to read. */
  readonly from: () => Promise<string | null>;
  /** The newest message of a channel as this session's greeting told it; null: not told (yet), so it has to be asked for. */
  readonly newestIn: (channelId: string) => string | null;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Takes a message in like any other; the door knows what it has had already (IN-2). */
  readonly take: (message: DiscordMessage) => Promise<void>;
}

/**
 * Reads the messages of one conversation that arrived while the bot was not connected (IN-14, FC-079), oldest first. Runs in the order of its
 * conversation, before anything newer. A conversation the bot cannot read any more is followed no longer.
 */
export async function catchUp(channelId: string, parts: CatchUpParts): Promise<void> {
  const { rest, seen, directory, newestIn, log, signal } = parts;
  const after = await parts.from();
  if (after === null) return;
  const newest = newestIn(channelId);
  if (newest !== null && compareIds(newest, after) <= 0) return;
  const missed = await read({ after });
  for (const message of missed.length < PAGE ? missed : await withNewest(missed)) {
    await parts.take(await withMember(message));
  }

  /** More than a page was missed. The newest counts most: only that may still be answered. */
  async function withNewest(oldest: readonly DiscordMessage[]): Promise<readonly DiscordMessage[]> {
    const found = [...oldest];
    const known = oldest.at(-1)?.id ?? "";
    let before: string | null = null;
    for (let page = 1; page < MOST_PAGES; page += 1) {
      const newer: readonly DiscordMessage[] = await read(before === null ? {} : { before });
      found.push(...newer.filter(({ id }) => compareIds(id, known) > 0));
      before = newer[0]?.id ?? null;
      if (before === null || compareIds(before, known) <= 0 || newer.length < PAGE) return inOrder(found);
    }
    log.warn({ channel: channelId }, "more was missed in a conversation than is read again; a part of it stays unread");
    return inOrder(found);
  }

  /** One page, oldest first; nothing when it cannot be had. */
  async function read(span: Readonly<Record<string, string>>): Promise<readonly DiscordMessage[]> {
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      try {
        const query = new URLSearchParams({ ...span, limit: String(PAGE) });
        return inOrder((await rest.get(Routes.channelMessages(channelId), { query, signal })) as DiscordMessage[]);
      } catch (error) {
        signal.throwIfAborted();
        const refusal = readRefusal(error);
        if (refusal.kind === "place_gone") {
          await seen.forget(channelId);
          return [];
        }
        if (refusal.kind === "refused" || refusal.kind === "unauthorized" || failures === TRIES) {
          log.warn(
            { channel: channelId, reason: refusal.reason },
            "what was missed in a conversation could not be read",
          );
          return [];
        }
        await pause(refusal.kind === "rate_limited" ? refusal.afterMs : reconnectMs(failures), signal);
      }
    }
  }

  /** Roles decide about access, and the history leaves them out. */
  async function withMember(message: DiscordMessage): Promise<DiscordMessage> {
    const place = await directory.place(channelId, signal);
    const guildId = place?.guildId ?? null;
    if (guildId === null || message.author.bot === true) return message;
    const member = await directory.member(guildId, message.author.id);
    return member === null ? message : { ...message, member: { nick: member.nick ?? null, roles: [...member.roles] } };
  }
}

function inOrder(messages: readonly DiscordMessage[]): readonly DiscordMessage[] {
  return messages.toSorted((a, b) => compareIds(a.id, b.id));
}
