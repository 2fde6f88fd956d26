import type { ChannelType } from "discord-api-types/v10";
import type { AccountSettings, PlaceSettings } from "../../../src/core/settings.ts";
import { compareIds, holdsMessages, isSnowflake } from "../address.ts";

/** A channel or thread in which something may have been said that nobody has seen. */
export interface UnseenPlace {
  readonly id: string;
  readonly newest: string;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * The channels and active threads of a guild, as the gateway greets with them, in which something newer than `after` was said and
 * the account could be addressed by its access rules; the newest first. What holds for a person or a message, the door decides.
 */
export function unseenPlaces(guild: Data, after: string, account: AccountSettings): readonly UnseenPlace[] {
  const guildId = String(guild.id);
  const found: UnseenPlace[] = [];
  for (const thread of list(guild.threads)) consider(thread, thread.id, [thread.id, thread.parent_id]);
  for (const channel of list(guild.channels)) {
    if (holdsMessages(channel.type as ChannelType)) consider(channel, null, [channel.id]);
  }
  return found.toSorted((a, b) => compareIds(b.newest, a.newest));

  /** `first`: a forum's post begins with a message that has its id. */
  function consider({ id, last_message_id: last }: Data, first: unknown, ids: readonly unknown[]): void {
    const newest = isId(last) ? last : first;
    if (!isId(id) || !isId(newest) || compareIds(newest, after) <= 0) return;
    if (mayBeAddressed(account, guildId, ids.filter(isId))) found.push({ id, newest });
  }
}

/** IN-6, for a place: whether anybody may address the account there. `ids`: the place and what it falls back to. */
export function mayBeAddressed(account: AccountSettings, guildId: string, ids: readonly string[]): boolean {
  if (account.groupPolicy === "disabled") return false;
  if (account.places.size === 0) return account.groupPolicy === "open";
  const guild = entryOf(account.places, [guildId]);
  if (guild?.enabled !== true) return false;
  return guild.places.size === 0 || entryOf(guild.places, ids)?.enabled === true;
}

function entryOf(places: ReadonlyMap<string, PlaceSettings>, ids: readonly string[]): PlaceSettings | undefined {
  const listed = ids.find((id) => places.has(id)) ?? "*";
  return places.get(listed);
}

function list(value: unknown): readonly Data[] {
  return Array.isArray(value) ? (value as readonly Data[]) : [];
}

function isId(value: unknown): value is string {
  return typeof value === "string" && isSnowflake(value);
}
