import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import { backoffMs, pause } from "../../src/channel/backoff.ts";
import type { Logger } from "../../src/core/runtime.ts";
import { compareIds } from "./address.ts";
import type { Directory } from "./directory.ts";
import { readRefusal } from "./errors.ts";
import type { DiscordMessage } from "./event-shape.ts";
import type { Seen } from "./seen.ts";

const PAGE = 100;
/** 500 messages of one conversation; beyond that the operator is told. */
const MOST_PAGES = 5;
const TRIES = 8;

export interface CatchUpParts {
  readonly rest: REST;
  readonly seen: Seen;
  readonly directory: Directory;
  /** The newest message of a channel as this session's greeting told it; null: not told (yet), so it has to be asked for. */
  readonly newestIn: (channelId: string) => string | null;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Takes a message in like any other; the door knows what it has had already (IN-2). */
  readonly take: (message: DiscordMessage) => Promise<void>;
}

/**
 * Reads what came into one conversation while nobody listened (IN-14, FC-079), oldest first. Runs in the order of its
 * conversation, before anything newer. A conversation the bot cannot read any more is followed no longer.
 */
export async function catchUp(channelId: string, parts: CatchUpParts): Promise<void> {
  const { rest, seen, directory, newestIn, log, signal } = parts;
  let after = await seen.upTo(channelId);
  if (after === null) return;
  const newest = newestIn(channelId);
  if (newest !== null && compareIds(newest, after) <= 0) return;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await read(after);
    if (found === null) return;
    for (const message of found.toSorted((a, b) => compareIds(a.id, b.id))) {
      await parts.take(await withMember(message));
      after = message.id;
    }
    if (found.length < PAGE) return;
  }
  log.warn({ channel: channelId }, "more was missed in a conversation than is read again; the rest of it stays unread");

  async function read(from: string): Promise<readonly DiscordMessage[] | null> {
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      try {
        const query = new URLSearchParams({ after: from, limit: String(PAGE) });
        return (await rest.get(Routes.channelMessages(channelId), { query, signal })) as DiscordMessage[];
      } catch (error) {
        signal.throwIfAborted();
        const refusal = readRefusal(error);
        if (refusal.kind === "place_gone") {
          await seen.forget(channelId);
          return null;
        }
        if (refusal.kind === "refused" || refusal.kind === "unauthorized" || failures === TRIES) {
          log.warn(
            { channel: channelId, reason: refusal.reason },
            "what was missed in a conversation could not be read",
          );
          return null;
        }
        await pause(refusal.kind === "rate_limited" ? refusal.afterMs : backoffMs(failures), signal);
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
