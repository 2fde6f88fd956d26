import type { ConfigFault } from "../../src/core/errors.ts";
import { type FaultText, IS_MISSING } from "../../src/core/texts/config/shape.ts";

export type ConfigPath = readonly (string | number)[];

/** `channels.telegram.groups["-100555"].topics` */
export function pathText(path: ConfigPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === "" ? "the file" : text;
}

/**
 * Collects everything that is wrong, so that one run names all faults at once (OP-2). The first fault of a path is kept, and
 * a section with a fault inside is not called missing: it only was taken out for the checks that follow.
 */
export class Findings {
  readonly #faults = new Map<string, ConfigFault>();
  readonly #warnings: ConfigFault[] = [];

  fault(path: ConfigPath | string, text: FaultText): void {
    const where = typeof path === "string" ? path : pathText(path);
    const isTakenOut =
      text.problem.startsWith(IS_MISSING) && [...this.#faults.keys()].some((path) => path.startsWith(`${where}.`));
    if (!isTakenOut && !this.#faults.has(where)) this.#faults.set(where, { path: where, ...text });
  }

  warn(path: ConfigPath | string, text: FaultText): void {
    this.#warnings.push({ path: typeof path === "string" ? path : pathText(path), ...text });
  }

  get faults(): readonly ConfigFault[] {
    return [...this.#faults.values()];
  }

  get warnings(): readonly ConfigFault[] {
    return this.#warnings;
  }
}

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
