import { basename, isAbsolute, relative, resolve } from "node:path";
import type { CommandLine } from "../bridge/accept/arrival.ts";

/**
 * How this program is called (FC-333): through npm, as an installed command, or by its file. What is `shown` to strangers has no
 * path that leads out of the folder it runs in.
 */
export function commandLine(called: {
  readonly program: string;
  /** `--config` as it was given. */
  readonly config: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): CommandLine {
  const { config, cwd } = called;
  const program = programCall(called);
  if (config === undefined) return program;
  const flag = ` --config ${quoted(config)}`;
  return { exact: program.exact + flag, shown: inside(cwd, config) === null ? program.shown : program.shown + flag };
}

function programCall({ program, cwd, env }: Parameters<typeof commandLine>[0]): CommandLine {
  if (env.npm_lifecycle_event === "start" || env.npm_lifecycle_event === "switchyard")
    return both("npm run switchyard --");
  if (env.npm_lifecycle_event === "npx") return both("npx switchyard");
  if (program === "" || basename(program) === "switchyard") return both("switchyard");
  const file = inside(cwd, program);
  return file === null ? { exact: `node ${quoted(program)}`, shown: "switchyard" } : both(`node ${quoted(file)}`);
}

function both(call: string): CommandLine {
  return { exact: call, shown: call };
}

/** The path from the folder; null: it leads out of it. */
function inside(cwd: string, file: string): string | null {
  const path = relative(cwd, resolve(cwd, file));
  return path.startsWith("..") || isAbsolute(path) ? null : path;
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
