import type { ConfigPath } from "./findings.ts";

const PART = /(?:^|\.)([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/y;

/** `channels.telegram.groups["-100555"]`, `bindings[0]`; null: not understood. The empty text is the whole file. */
export function readConfigPath(written: string): ConfigPath | null {
  const path: (string | number)[] = [];
  PART.lastIndex = 0;
  for (let at = 0; at < written.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const found = PART.exec(written);
    if (found === null) return null;
    const [, word, quoted, index] = found;
    if (index !== undefined) path.push(Number(index));
    else path.push(word ?? String(JSON.parse(`"${quoted ?? ""}"`)));
  }
  return path.includes("__proto__") ? null : path;
}
