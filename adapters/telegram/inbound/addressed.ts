import type { MessageEntity } from "grammy/types";

/** The text of a message without this bot's own mention, and whom it addresses. */
export interface AddressedText {
  readonly text: string;
  /** This bot is mentioned, or a command names it (`/status@thisbot`). */
  readonly bot: boolean;
  /** Somebody else is mentioned. */
  readonly others: boolean;
  /** A command names another bot (`/status@otherbot`). */
  readonly otherCommand: boolean;
}

interface Cut {
  readonly from: number;
  readonly to: number;
  /** A mention goes with the space that set it off; the suffix of a command goes alone. */
  readonly spaced: boolean;
}

/**
 * Reads mentions from the platform's entities only: an `@name` inside code or a link is none. Offsets of entities are UTF-16
 * units, as string indices are. Everything but the bot's own mention stays verbatim.
 */
export function readAddressed(
  text: string,
  entities: readonly MessageEntity[],
  bot: { readonly id: string; readonly username: string },
): AddressedText {
  const own = bot.username.toLowerCase();
  const cuts: Cut[] = [];
  let others = false;
  let otherCommand = false;
  for (const entity of entities) {
    const { offset, length } = entity;
    const to = offset + length;
    const piece = text.slice(offset, to).toLowerCase();
    if (entity.type === "mention" || entity.type === "text_mention") {
      const isOwn = entity.type === "text_mention" ? String(entity.user.id) === bot.id : piece === `@${own}`;
      if (isOwn) cuts.push({ from: offset, to, spaced: true });
      else others = true;
    } else if (entity.type === "bot_command" && piece.includes("@")) {
      const at = piece.indexOf("@");
      if (piece.slice(at + 1) === own) cuts.push({ from: offset + at, to, spaced: false });
      else otherCommand = true;
    }
  }
  return { text: without(text, cuts), bot: cuts.length > 0, others, otherCommand };
}

function without(text: string, cuts: readonly Cut[]): string {
  return [...cuts].sort((a, b) => b.from - a.from).reduce(cutOut, text);
}

function cutOut(text: string, { from, to, spaced }: Cut): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  if (!spaced) return before + after;
  if (before.trim() === "") return after.trimStart();
  if (after.trim() === "") return before.trimEnd();
  return /\s$/.test(before) && /^\s/.test(after) ? before + after.slice(1) : before + after;
}
