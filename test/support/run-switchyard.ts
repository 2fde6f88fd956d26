import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../../src/cli/cli.ts";
import { sqliteFiles } from "../../src/store/dialect/sqlite.ts";
import { testCatalog } from "./test-settings.ts";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));

export interface ProgramRun {
  /** null: it had to be ended, since it did not end by itself. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one command of the real program in a folder and resolves when it has ended; after a minute it is ended. */
export function runSwitchyard(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: folder, ...env }, timeout: 60_000, maxBuffer: 1e8 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
        resolve({ code, out, err });
      },
    );
  });
}

/** The same command line in this process, against the running program of a folder: for what is asked, not for how it starts. */
export async function askSwitchyard(folder: string, args: readonly string[]): Promise<ProgramRun> {
  const said = { out: [] as string[], err: [] as string[] };
  const code = await runCli([...args, "--config", join(folder, "switchyard.json5")], {
    version: "0.0.0-test",
    catalog: testCatalog,
    storeFiles: async () => sqliteFiles,
    start: () => Promise.reject(new Error("this is only for asking")),
    clock: { now: () => Date.now() },
    env: { HOME: folder },
    cwd: folder,
    program: "switchyard",
    output: { out: (text) => void said.out.push(text), err: (text) => void said.err.push(text) },
    isTerminal: false,
  });
  return { code, out: said.out.join("\n"), err: said.err.join("\n") };
}

/** Writes a configuration, as JSON or as the text it is, and returns its path. */
export function writeConfig(folder: string, config: object | string): string {
  const file = join(folder, "switchyard.json5");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  return file;
}
