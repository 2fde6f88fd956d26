import { mayLeak, settledLength } from "./leak-scan.ts";
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
 * suspicious; when that is long, not at every delta (FC-406). So an answer costs about its own length, whatever it holds.
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
    const pass = sanitiseOnce(segment.slice(0, settledLength(segment)), true);
    insideBlock = pass.open;
    const again = pass.changed ? sanitise(pass.text) : { text: pass.text, changed: false };
    visible = frozen + again.text;
    if (again.changed || pass.settled.raw === 0) return;
    frozen += pass.joined.slice(0, pass.settled.visible);
    afterRemoval = afterRemoval || pass.changed;
    const rest = trimJoint(segment.slice(pass.settled.raw));
    body = rest.slice(0, -LOOK_BACK);
    tail = rest.slice(-LOOK_BACK);
    looked = rest.length;
    suspicious = mayLeak(rest);
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
      suspicious = suspicious || mayLeak(tail);
      if (tail.length > 2 * LOOK_BACK) {
        body += tail.slice(0, -LOOK_BACK);
        tail = tail.slice(-LOOK_BACK);
      }
      // Only these characters can end a removed block.
      if (insideBlock && !/[>\]}\n|｜]/.test(delta)) return visible;
      if (suspicious) {
        if (isDue()) resanitise();
      } else visible = frozen + body + tail.slice(0, settledLength(tail));
      return visible;
    },
    end() {
      return sanitise(raw).text;
    },
  };
}
