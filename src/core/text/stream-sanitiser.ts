import { mayLeak } from "./leak-scan.ts";
import { sanitise, sanitiseOnce } from "./sanitise.ts";

/** The incremental form of `sanitise`. */
export interface StreamSanitiser {
  /** Adds model output and returns all text so far that is safe to show; markup that may still be growing is held back. */
  push(delta: string): string;
  /** The final text: exactly `sanitise` of everything pushed, with nothing held back. */
  end(): string;
}

/** How far back new text can complete markup that began earlier. */
const LOOK_BACK = 300;
/** Up to so much unsettled text is looked at again at every delta. */
const ALWAYS = 1_000;
/** A longer one when it has grown by this share, so that all looks together cost a fixed number of times its length. */
const GROWTH = 1 / 16;

/**
 * Sanitises assistant text while it arrives (`ST-6`, `TN-11`). What `push` returns never holds anything the sanitiser
 * would remove. It usually only grows; an example in a code block that is not closed yet shows up when it closes.
 *
 * Only the text since the last settled blank line is ever looked at again, and only where it holds something
 * suspicious; when that is long, not at every delta (FC-406). So the cost of an answer is proportional to its length, for any content.
 */
export function createStreamSanitiser(): StreamSanitiser {
  let raw = "";
  let frozen = "";
  // Unsettled text: `body` is only ever appended to, because a look into a growing string copies all of it.
  let body = "";
  let tail = "";
  let suspicious = false;
  /** Length of the unsettled text at the last look. */
  let looked = 0;
  let insideBlock = false;
  let afterRemoval = false;
  let visible = "";

  /** White space around a removal arrives piece by piece; a preview must not begin with it or pile it up. */
  const trimJoint = (text: string): string => {
    if (!afterRemoval) return text;
    if (frozen === "") return text.trimStart();
    return frozen.endsWith("\n\n") ? text.replace(/^\n+/, "") : text;
  };
  const resanitise = (): void => {
    const segment = body + tail;
    looked = segment.length;
    // The unsettled text begins where what people see begins.
    const whole = frozen === "";
    const settled = segment.slice(0, settledLength(segment, whole));
    const first = sanitiseOnce(settled, { growing: true, whole });
    // Nothing stands behind the closer yet; what stands before it may still be the answer.
    const waits = first.restarted && first.text.trim() === "";
    const pass = waits ? sanitiseOnce(settled, { growing: true, whole, keepHead: true }) : first;
    if (pass.restarted) frozen = "";
    insideBlock = pass.open;
    const again = pass.changed ? sanitise(pass.text) : { text: pass.text, changed: false };
    visible = frozen + again.text;
    if (waits || again.changed || pass.settled.raw === 0) return;
    frozen += pass.joined.slice(0, pass.settled.visible);
    afterRemoval = afterRemoval || pass.changed;
    const rest = trimJoint(segment.slice(pass.settled.raw));
    body = rest.slice(0, -LOOK_BACK);
    tail = rest.slice(-LOOK_BACK);
    looked = rest.length;
    suspicious = mayLeak(rest, frozen === "");
  };
  const isDue = (): boolean => {
    const length = body.length + tail.length;
    return length <= ALWAYS || length - looked >= length * GROWTH;
  };

  return {
    push(delta) {
      if (delta === "") return visible;
      raw += delta;
      tail += delta;
      if (afterRemoval && body === "") {
        tail = trimJoint(tail);
        afterRemoval = tail === "";
      }
      suspicious = suspicious || mayLeak(tail, frozen === "" && body === "");
      if (tail.length > 2 * LOOK_BACK) {
        body += tail.slice(0, -LOOK_BACK);
        tail = tail.slice(-LOOK_BACK);
      }
      // Only these characters can end a removed block.
      if (insideBlock && !/[>\]}\n|｜▷l]/.test(delta)) return visible;
      if (suspicious) {
        if (isDue()) resanitise();
      } else visible = frozen + body + tail.slice(0, settledLength(tail, frozen === "" && body === ""));
      return visible;
    },
    end() {
      return sanitise(raw).text;
    },
  };
}

/** The longest tail that more text could still turn into markup. */
const PENDING_WINDOW = 140;
/** A tail that more text could still turn into markup: `<`, `</thi`, `<|im_`, `[Tool C`. */
const PENDING_TAG =
  /^<[ \t]{0,8}\/?[ \t]{0,8}(?:[a-z][\w-]{0,40}(?::[\w-]{0,40})?)?$|^<[|｜][^|｜<>\r\n]{0,100}[|｜]?$|^<channel\|?$|^<\|(?:channel|start)\|?>\s{0,3}[a-z]{0,10}(?: [^<\n]{0,80})?$/i;
const PENDING_SIGN = /^(?:\[\/?(?:T|TH|THI|THIN|THINK)?|◁\/?[a-z]{0,8})$/;
const SCAFFOLD_WORDS = [
  "tool call:",
  "tool calls:",
  "tool result ",
  "tool results ",
  "historical context ",
  "inter-session message ",
  "reply-back 00/00",
  "subagent task]",
  "completion ",
];
const PENDING_BRACKET = /^\[[ \t]*([a-z][a-z0-9/ -]{0,40})?$/i;

/**
 * Length of the part of a growing text that no further text can turn into the start of markup (`ST-6`: partial tags
 * are held back). Looks at most 140 characters back.
 */
function settledLength(text: string, whole = false): number {
  const start = whole && text.length < 40 ? text.trimStart() : "";
  if (start.length > 4 && "analysis".startsWith(start)) return 0;
  const from = text.length - PENDING_WINDOW;
  const tag = text.lastIndexOf("<");
  if (tag >= 0 && tag >= from && PENDING_TAG.test(text.slice(tag))) return tag;
  const sign = Math.max(text.lastIndexOf("["), text.lastIndexOf("◁"));
  if (sign >= 0 && sign >= from && PENDING_SIGN.test(text.slice(sign))) return sign;
  const bracket = text.lastIndexOf("[");
  if (bracket >= 0 && bracket >= from) {
    const match = PENDING_BRACKET.exec(text.slice(bracket));
    if (match !== null && couldBeScaffold(match[1]?.toLowerCase() ?? "")) return bracket;
  }
  return text.length;
}

function couldBeScaffold(words: string): boolean {
  const shape = words.replace(/\d+/g, "00");
  return SCAFFOLD_WORDS.some((known) => known.startsWith(words) || known.startsWith(shape) || shape.startsWith(known));
}
