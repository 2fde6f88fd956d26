import { mayLeak, settledLength } from "./leak-tokens.ts";
import { sanitise, sanitiseOnce } from "./sanitise.ts";

/** The incremental form of `sanitise`. */
export interface StreamSanitiser {
  /** Adds model output and returns all text so far that is safe to show; markup that may still be growing is held back. */
  push(delta: string): string;
  /** The final text: exactly `sanitise` of everything pushed, with nothing held back. */
  end(): string;
}

/** How far back new text can complete markup that began earlier. */
const LOOK_BACK = 140;

/**
 * Sanitises assistant text while it arrives (`ST-6`, `TN-11`). What `push` returns never holds anything the sanitiser
 * would remove. It usually only grows; an example in a code block that is not closed yet shows up when it closes.
 *
 * Text before the last settled blank line is never looked at again, so a long answer costs about its own length.
 */
export function createStreamSanitiser(): StreamSanitiser {
  const raw: string[] = [];
  let frozen = "";
  let segment = "";
  let suspicious = false;
  let insideBlock = false;
  let visible = "";

  let removedBefore = false;

  /** White space around a removal arrives piece by piece; a preview must not begin with it or pile it up. */
  const joined = (text: string): string => {
    if (!removedBefore) return frozen + text;
    if (frozen === "") return text.trimStart();
    return frozen.endsWith("\n\n") ? frozen + text.replace(/^\n+/, "") : frozen + text;
  };
  const resanitise = (): void => {
    const upTo = segment.slice(0, settledLength(segment));
    const pass = sanitiseOnce(upTo, true);
    insideBlock = pass.open;
    const again = pass.changed ? sanitise(pass.text) : { text: pass.text, changed: false };
    visible = joined(again.text);
    if (again.changed || pass.settled.raw === 0) return;
    frozen = joined(pass.text.slice(0, pass.settled.visible));
    removedBefore = removedBefore || pass.changed;
    segment = segment.slice(pass.settled.raw);
    suspicious = mayLeak(segment);
  };

  return {
    push(delta) {
      if (delta === "") return visible;
      raw.push(delta);
      segment += delta;
      // Only these characters can end a removed block.
      if (insideBlock && !/[>\]}\n|｜]/.test(delta)) return visible;
      suspicious = suspicious || mayLeak(segment.slice(-(delta.length + LOOK_BACK)));
      if (suspicious) resanitise();
      else visible = joined(segment.slice(0, settledLength(segment)));
      return visible;
    },
    end() {
      return sanitise(raw.join("")).text;
    },
  };
}
