import { PERMISSIONS } from "./permissions.ts";
import type { ChannelRecord, StoredMessage } from "./records.ts";
import { invalidForm } from "./refusal.ts";
import type { APIAllowedMentions, APIUser } from "./wire-types.ts";
import type { World } from "./world.ts";

export interface Mentions {
  users: APIUser[];
  roles: string[];
  everyone: boolean;
}

function idsIn(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? ""))];
}

/** `allowed_mentions` refuses a kind that is named in `parse` and listed one by one (Message, allowed mentions object). */
export function checkAllowedMentions(allowed: APIAllowedMentions | null | undefined): void {
  const parse = allowed?.parse ?? [];
  for (const kind of ["users", "roles"] as const) {
    const listed = allowed?.[kind] ?? [];
    if (listed.length > 0 && parse.includes(kind as never)) {
      throw invalidForm({
        path: ["allowed_mentions"],
        code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      });
    }
  }
}

/**
 * Who is mentioned by a text and by the message it replies to. Without `allowed` everything in the text counts and a
 * reply pings; with it only what it names (Message, allowed mentions object).
 */
export function mentionsIn(
  world: World,
  place: { channel: ChannelRecord; authorId: string },
  written: { content: string; allowed?: APIAllowedMentions | null | undefined; replyTo: StoredMessage | null },
): Mentions {
  const { content, replyTo } = written;
  const allowed = written.allowed ?? null;
  const parse = new Set<string>(allowed === null ? ["users", "roles", "everyone"] : (allowed.parse ?? []));
  const may = (kind: "users" | "roles", id: string): boolean => parse.has(kind) || (allowed?.[kind] ?? []).includes(id);
  const users = idsIn(content, /<@!?(\d+)>/g)
    .filter((id) => may("users", id))
    .flatMap((id) => world.users.get(id) ?? []);
  const pings = allowed === null ? true : (allowed.replied_user ?? false);
  const replied = pings && replyTo !== null ? world.users.get(replyTo.authorId) : undefined;
  if (replied !== undefined && !users.some((user) => user.id === replied.id)) users.push(replied);
  const guild = world.guildOf(place.channel);
  const roles = idsIn(content, /<@&(\d+)>/g).filter((id) => may("roles", id) && guild?.roles.has(id) === true);
  const permitted = (world.permissions(place.channel, place.authorId) & PERMISSIONS.MentionEveryone) !== 0n;
  const everyone = guild !== null && permitted && parse.has("everyone") && /(^|[^`\w])@(everyone|here)\b/.test(content);
  return { users, roles, everyone };
}
