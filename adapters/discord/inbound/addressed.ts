/** The text of a message without this bot's own mention, and whom it addresses. */
export interface AddressedText {
  readonly text: string;
  /** This bot, or the role the platform made for it, is mentioned. */
  readonly bot: boolean;
  /** Another person, bot or role is mentioned. */
  readonly others: boolean;
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

const MENTION = /<@(!|&)?(\d{1,20})>/g;

/**
 * Reads mentions from the text only: the platform's own list also holds who is merely replied to (FC-083). Inside code they
 * are none. `@everyone` and `@here` address nobody in particular. Everything but the bot's own mention stays verbatim.
 */
export function readAddressed(
  text: string,
  bot: { readonly id: string; readonly roleId: string | null },
): AddressedText {
  const code = codeRanges(text);
  const cuts: Cut[] = [];
  let others = false;
  for (const match of text.matchAll(MENTION)) {
    const from = match.index;
    if (code.some(([start, end]) => from >= start && from < end)) continue;
    const [whole, sign, id] = match;
    if (id === (sign === "&" ? bot.roleId : bot.id)) cuts.push({ from, to: from + whole.length });
    else others = true;
  }
  return { text: cuts.reduceRight(cutOut, text), bot: cuts.length > 0, others };
}

/** A mention goes with the space that set it off. */
function cutOut(text: string, { from, to }: Cut): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  if (before.trim() === "") return after.trimStart();
  if (after.trim() === "") return before.trimEnd();
  return /\s$/.test(before) && /^\s/.test(after) ? before + after.slice(1) : before + after;
}

/** Where inline code and code blocks stand. */
function codeRanges(text: string): readonly (readonly [number, number])[] {
  if (!text.includes("`")) return [];
  return [...text.matchAll(/(```[\s\S]*?```)|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/g)].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}
