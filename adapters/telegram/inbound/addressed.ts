import type { MessageEntity } from "grammy/types";
import { type CutRange, toMarkdown } from "./formatted.ts";

/** The text of a message as Markdown, without this bot's own mention, and whom it addresses. */
export interface AddressedText {
  readonly text: string;
  /** This bot is mentioned, or a command names it (`/status@thisbot`). */
  readonly bot: boolean;
  /** Somebody else is mentioned. */
  readonly others: boolean;
  /** A command names another bot (`/status@otherbot`). */
  readonly otherCommand: boolean;
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
  const cuts: CutRange[] = [];
  let others = false;
  let otherCommand = false;
  for (const entity of entities) {
    const { offset, length } = entity;
    const to = offset + length;
    const piece = text.slice(offset, to).toLowerCase();
    if (entity.type === "mention" || entity.type === "text_mention") {
      const isOwn = entity.type === "text_mention" ? String(entity.user.id) === bot.id : piece === `@${own}`;
      if (isOwn) cuts.push(withSpace(text, cuts, { from: offset, to }));
      else others = true;
    } else if (entity.type === "bot_command" && piece.includes("@")) {
      const at = piece.indexOf("@");
      if (piece.slice(at + 1) === own) cuts.push({ from: offset + at, to });
      else otherCommand = true;
    }
  }
  return { text: toMarkdown(text, entities, cuts), bot: cuts.length > 0, others, otherCommand };
}

/** A mention goes with the space that set it off. What was cut before counts as nothing. */
function withSpace(text: string, cuts: readonly CutRange[], { from, to }: CutRange): CutRange {
  const before = cuts.reduceRight((rest, cut) => rest.slice(0, cut.from) + rest.slice(cut.to), text.slice(0, from));
  const after = text.slice(to);
  const spaceAfter = after.length - after.trimStart().length;
  if (before.trim() === "") return { from: from - before.length, to: to + spaceAfter };
  if (after.trim() === "") return { from: text.slice(0, from).trimEnd().length, to: text.length };
  return { from, to: /\s$/.test(before) && /^\s/.test(after) ? to + 1 : to };
}
