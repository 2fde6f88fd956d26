import { assertNever } from "../runtime.ts";
import { type CodeRegions, findCode } from "./code-regions.ts";
import type { LeakKind, LeakToken } from "./leak-scan.ts";
import { findLeakTokens, mayLeak } from "./leak-scan.ts";
import { Output, type RemovalState, type Sanitised, type SanitisePass } from "./sanitise-output.ts";

export type { Sanitised, SanitisePass } from "./sanitise-output.ts";

/** Nested leaks need one pass per level; real model output has one or two levels, more is an attack. */
const MAX_PASSES = 4;
const ARGUMENTS_TO_COME = /^[ \t]*\n?[ \t]*(?:A|Ar|Arg|Argu|Argum|Argume|Argumen|Argument|Arguments:?[ \t]*)?$/;
const BACKTICK = 96;

/**
 * Removes what a model leaks of its inner workings from assistant text (`ST-6`, `DL-11`): reasoning blocks, relevant
 * memories, tool calls written as text (also cut off), tool scaffolding in brackets, control tokens. An unclosed block
 * is removed to the end of the text. Closed fenced blocks and inline code spans are examples and stay; an unclosed
 * fence exempts nothing.
 *
 * Returns the visible text and whether it differs. Never throws; idempotent; linear in the length of the text.
 * White space around a removal is joined to at most one blank line, and trimmed at the edges of the text.
 */
export function sanitise(text: string): Sanitised {
  if (!mayLeak(text)) return { text, changed: false };
  let current = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const first = sanitiseOnce(current);
    // A closer at the very end closes nothing that could be missed: what stands before it is the answer.
    const result = first.restarted && first.text.trim() === "" ? sanitiseOnce(current, { keepHead: true }) : first;
    if (!result.changed) return { text: current, changed: current !== text };
    current = result.text;
  }
  // Removing every opening character leaves nothing a further pass could find, which keeps this linear and idempotent.
  if (sanitiseOnce(current).changed) current = current.replace(/[<[◁]/g, "");
  return { text: current, changed: true };
}

export interface PassOptions {
  /** More text may follow, so the half-written arguments of a tool call are part of it. */
  readonly growing?: boolean;
  /** The text begins where the output begins. */
  readonly whole?: boolean;
  /** What stands before a closer without an opener stays. */
  readonly keepHead?: boolean;
}

/** One pass from left to right; a removal can join its two sides into new markup, which {@link sanitise} looks at again. */
export function sanitiseOnce(text: string, options: PassOptions = {}): SanitisePass {
  const { growing = false, whole = true, keepHead = false } = options;
  const tokens = findLeakTokens(text, whole);
  const output = new Output(text);
  const closed = lastClosers(tokens);
  const hasCodeMark = codeMarks(text);
  let code: CodeRegions | null = null;
  let index = 0;
  while (index < tokens.length) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.start < output.position) {
      index += 1;
      continue;
    }
    if (hasCodeMark(output.position, token.start)) {
      code ??= findCode(text);
      const region = code.next(output.position);
      if (region !== null && region.start < token.start) {
        output.keepTo(region.end);
        continue;
      }
    }
    const unclosed = token.role === "open" && !growing && index > (closed.get(token.kind) ?? -1);
    const isProse =
      (unclosed && token.generic) ||
      ((unclosed || token.role === "close") && token.kind === "reasoning" && isNamed(text, token));
    if (isProse) {
      // Kept here, so that the search for code does not restart at every one of them.
      output.keepTo(token.end);
      index += 1;
      continue;
    }
    output.keepTo(token.start);
    if (token.role === "close" && token.kind === "reasoning" && !keepHead) {
      output.restartAt(token.end);
      continue;
    }
    output.skipTo(...endOfRemoval({ text, tokens, growing }, index));
  }
  const result = output.finish();
  if (!growing || result.settled.raw === 0) return result;
  return (code ?? findCode(text)).hasOpenFence(0) ? { ...result, settled: { raw: 0, visible: 0 } } : result;
}

/** The last token that closes each kind: behind it nothing is closed, known without a search from every opener. */
function lastClosers(tokens: readonly LeakToken[]): ReadonlyMap<LeakKind, number> {
  const last = new Map<LeakKind, number>();
  for (let index = tokens.length - 1; index >= 0 && last.size < 4; index -= 1) {
    const token = tokens[index];
    if (token?.role === "close" && !last.has(token.kind)) last.set(token.kind, index);
  }
  return last;
}

/**
 * Most leaks stand where no code begins before them; then the text's code need not be looked for. Asked from left to right, so
 * that each mark is searched for once.
 */
function codeMarks(text: string): (from: number, to: number) => boolean {
  const next = [-1, -1];
  const before = (mark: string, kind: 0 | 1, from: number, to: number): boolean => {
    let at = next[kind] ?? -1;
    if (at < from) {
      at = text.indexOf(mark, from);
      if (at === -1) at = text.length;
      next[kind] = at;
    }
    return at + mark.length <= to;
  };
  return (from, to) => from < to && (before("`", 0, from, to) || before("~~~", 1, from, to));
}

/** Where a removal ends, and whether more text could still change that end. */
type Removal = [end: number, state: RemovalState];

interface Source {
  readonly text: string;
  readonly tokens: readonly LeakToken[];
  readonly growing: boolean;
}

/** Where the removal that starts at token `index` ends, and whether the end of the text cut it off. */
function endOfRemoval(source: Source, index: number): Removal {
  const { text, tokens, growing } = source;
  const token = tokens[index];
  if (token === undefined) return [text.length, "open"];
  switch (token.role) {
    case "single":
    case "close":
      return [token.end, "closed"];
    case "scaffold":
      return endOfScaffold(text, token.end, growing);
    case "open":
      return endOfBlock(source, index);
    default:
      return assertNever(token);
  }
}

/**
 * The matching closer of the same kind, counting nested openers. When the nesting never balances (reasoning that
 * mentions its own tag), the last closer ends the block, so that the answer behind it is not lost.
 */
function endOfBlock({ text, tokens, growing }: Source, index: number): Removal {
  const opener = tokens[index];
  if (opener?.role !== "open") return [text.length, "open"];
  let depth = 1;
  let lastCloser = -1;
  for (let at = index + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined || (token.role !== "open" && token.role !== "close")) continue;
    if (token.kind !== opener.kind || isQuoted(text, token)) continue;
    // Channels do not nest: the next one ends the one before.
    if (token.role === "close") depth -= 1;
    else if (token.kind !== "channel") depth += 1;
    if (token.role === "close") lastCloser = token.end;
    if (depth === 0) return [token.end, "closed"];
  }
  // While text still arrives, the closer that balances may yet come; showing the part before it would be a leak.
  return lastCloser === -1 || growing ? [text.length, "open"] : [lastCloser, "closed"];
}

/** A tag that a sentence only mentions (FC-212): a word before it, a blank or a stop behind it. */
function isNamed(text: string, token: LeakToken): boolean {
  const before = text.slice(Math.max(0, token.start - 40), token.start);
  return (
    /[\p{L}\p{N},;([][ \t]+["'“‘(]?$|[\p{L}\p{N},;][ \t]*["'“‘(]$/u.test(before) &&
    /^(?:[ \t]|["'”’]?[.,;:!?)]|["'”’](?:\s|$))/.test(text.slice(token.end, token.end + 3))
  );
}

/** A tag directly between two backticks is being talked about, not used. */
function isQuoted(text: string, token: LeakToken): boolean {
  return text.charCodeAt(token.end) === BACKTICK && text.charCodeAt(token.start - 1) === BACKTICK;
}

/** End of a bracket with balanced brackets inside; the blank line or the end of the text when it never closes. */
function endOfScaffold(text: string, from: number, growing: boolean): Removal {
  const bracket = text.charAt(from - 1) === "]" ? from : endOfBalanced(text, from, 1);
  if (bracket === -1) return endOfParagraph(text, from);
  if (growing && text.length - bracket < 40 && ARGUMENTS_TO_COME.test(text.slice(bracket)))
    return [text.length, "scaffold open"];
  const json = /^[ \t]*\n?[ \t]*(?:Arguments:[ \t]*)?(?=\{)/.exec(text.slice(bracket, bracket + 200));
  if (json === null) return [bracket, "closed"];
  const start = bracket + json[0].length;
  const end = endOfBalanced(text, start + 1, 1);
  return end === -1 ? endOfParagraph(text, start) : [end, "closed"];
}

function endOfParagraph(text: string, from: number): Removal {
  const blank = text.indexOf("\n\n", from);
  return blank === -1 ? [text.length, "scaffold open"] : [blank, "closed"];
}

/** Offset behind the bracket that closes `depth` open ones; stops at a blank line. Strings count only inside braces. */
function endOfBalanced(text: string, from: number, depth: number): number {
  let open = depth;
  let braces = text.charAt(from - 1) === "{" ? 1 : 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\n" && text.charAt(at + 1) === "\n") return -1;
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"' || char === "\n") inString = false;
    } else if (char === '"') {
      inString = braces > 0;
    } else if (char === "[" || char === "{") {
      open += 1;
      if (char === "{") braces += 1;
    } else if (char === "]" || char === "}") {
      open -= 1;
      if (char === "}") braces = Math.max(0, braces - 1);
      if (open === 0) return at + 1;
    }
  }
  return -1;
}
