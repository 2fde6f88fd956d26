import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface ProgramRun {
  /** null: it had to be ended, since it did not end by itself. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one command of the real program in a folder and resolves when it has ended; after 20 s it is ended. */
export function runSwitchyard(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: folder, ...env }, timeout: 20_000, maxBuffer: 1e8 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
        resolve({ code, out, err });
      },
    );
  });
}

/** Writes a configuration, as JSON or as the text it is, and returns its path. */
export function writeConfig(folder: string, config: object | string): string {
  const file = join(folder, "switchyard.json5");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  return file;
}
