import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ConfigPath } from "./findings.ts";
import type { NormaliseContext } from "./normalise-context.ts";

/**
 * An agent's instructions: the text itself, or what stands in the file it names, relative to the configuration file
 * (TN-18). A single line that begins with `./`, `../`, `/` or `~/`, or is one word ending in `.md` or `.txt`, names a file.
 */
export function readInstructions(context: NormaliseContext, written: string, path: ConfigPath): string {
  if (!isFileName(written)) return written;
  const file = resolve(context.baseDir, written.startsWith("~/") ? `${homedir()}/${written.slice(2)}` : written);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const problem =
      reason === "ENOENT" ? `the file ${file} does not exist` : `the file ${file} cannot be read (${reason})`;
    context.findings.fault(path, problem, "Create it, or write the instructions here as a text.");
    return "";
  }
}

function isFileName(written: string): boolean {
  if (written.includes("\n")) return false;
  return /^(\.{1,2}|~)?\//.test(written) || /^\S+\.(md|txt)$/.test(written);
}
