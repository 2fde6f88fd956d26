import { isSpace } from "./leak-scan.ts";

/** Result of `sanitise`. */
export interface Sanitised {
  readonly text: string;
  /** True when anything was removed. */
  readonly changed: boolean;
}

/** Result of one pass, with what the stream form needs to know about its end. */
export interface SanitisePass extends Sanitised {
  /** The text before white space at its end was trimmed, which may yet stand between two pieces. */
  readonly joined: string;
  /** All that stood before a closer without an opener was inner talk and is gone (FC-312). */
  readonly restarted: boolean;
  /** The text ends inside a removed block that nothing has closed yet. */
  readonly open: boolean;
  /** Raw and visible offset of the last blank line in visible prose: what stands before it can never change any more. */
  readonly settled: { readonly raw: number; readonly visible: number };
}

/** How a removed piece ends; an open one is cut off by the end of the text. */
export type RemovalState = "closed" | "open" | "scaffold open";

/** White space is fixed over at most this many characters, so that hostile text cannot make a removal expensive. */
const SPACE_WINDOW = 64;

/** Collects the kept parts and fixes the white space around removals. */
export class Output {
  position = 0;
  /** Kept since here; taken over at the next removal only, because hostile text keeps a piece a character. */
  private pending = 0;
  private readonly text: string;
  private parts: string[] = [];
  private length = 0;
  /** The last characters kept; a look at the joined parts would copy them all at every removal. */
  private tail = "";
  private changed = false;
  private open = false;
  private restarted = false;
  private settled = { raw: 0, visible: 0 };

  constructor(text: string) {
    this.text = text;
  }

  keepTo(end: number): void {
    this.position = end;
  }

  private takeOver(): void {
    if (this.position === this.pending) return;
    const part = this.text.slice(this.pending, this.position);
    this.pending = this.position;
    this.parts.push(part);
    this.length += part.length;
    this.tail = part.length >= SPACE_WINDOW ? part.slice(-SPACE_WINDOW) : (this.tail + part).slice(-SPACE_WINDOW);
  }

  skipTo(end: number, state: RemovalState): void {
    this.takeOver();
    this.changed = true;
    this.open = state === "open";
    const rest = leadingSpace(this.text, end);
    const before = trailingSpace(this.tail);
    const atStart = before.length === this.length;
    if (atStart) {
      this.parts = [];
      this.length = 0;
      this.tail = "";
    }
    this.position = end + (atStart ? rest.length : surplus(before, rest));
    this.pending = this.position;
    if (state === "closed" && (atStart || rest.includes("\n\n")))
      this.settled = { raw: this.position, visible: this.length };
  }

  /** Nothing before `end` is for people. */
  restartAt(end: number): void {
    this.takeOver();
    this.parts = [];
    this.length = 0;
    this.tail = "";
    this.restarted = true;
    this.skipTo(end, "closed");
  }

  finish(): SanitisePass {
    const start = this.position;
    this.keepTo(this.text.length);
    this.takeOver();
    const endsRemoved = this.changed && this.text.slice(start).trim() === "";
    const blank = this.text.lastIndexOf("\n\n");
    const lastFence = Math.max(this.text.lastIndexOf("```"), this.text.lastIndexOf("~~~"));
    if (!endsRemoved && blank >= start && blank > lastFence) {
      this.settled = { raw: blank + 2, visible: this.length - (this.text.length - blank - 2) };
    }
    const joined = this.parts.join("");
    return {
      text: endsRemoved ? joined.trimEnd() : joined,
      joined,
      changed: this.changed,
      restarted: this.restarted,
      open: this.open && start === this.text.length,
      settled: this.settled,
    };
  }
}

function leadingSpace(text: string, from: number): string {
  let end = from;
  while (end < text.length && end - from < SPACE_WINDOW && isSpace(text.charCodeAt(end))) end += 1;
  return end === from ? "" : text.slice(from, end);
}

function trailingSpace(text: string): string {
  let start = text.length;
  while (start > 0 && isSpace(text.charCodeAt(start - 1))) start -= 1;
  return start === text.length ? "" : text.slice(start);
}

/** How much white space after a removal repeats what already stands before it. */
function surplus(before: string, rest: string): number {
  if (rest === "") return 0;
  const newlines = before.split("\n").length - 1;
  if (newlines === 0) return before !== "" && /^[ \t]/.test(rest) ? (/^[ \t]+/.exec(rest)?.[0].length ?? 0) : 0;
  let left = 2 - newlines;
  let skip = 0;
  for (let at = 0; at < rest.length; at += 1) {
    if (rest.charAt(at) !== "\n") continue;
    if (left > 0) left -= 1;
    else skip = at + 1;
  }
  return skip + (/^[ \t]{1,3}(?![ \t])/.exec(rest.slice(skip))?.[0].length ?? 0);
}
