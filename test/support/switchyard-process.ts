import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
/** The program's own cache of compiled code (`src/main.js`), from the first line on, so that a preload is in it too. */
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache/switchyard", import.meta.url));
const READY_MS = 180_000;

export interface ProcessOptions {
  /** The configuration file's content; the store lies in the process's own folder. */
  readonly config: object;
  /** More arguments for node: a preload, for instance. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** An earlier process's folder: its store is gone on with. */
  readonly folder?: string;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The program as a child process, as an operator runs it. */
export interface SwitchyardProcess {
  readonly folder: string;
  readonly url: string;
  readonly pid: number;
  readonly logs: readonly LogLine[];
  /** What it wrote that is no log line: the stack of what ended it, for instance. */
  readonly stray: readonly string[];
  /** Resolves with the first line, past or to come, that matches. */
  logged(matches: (line: LogLine) => boolean, withinMs?: number): Promise<LogLine>;
  /** Nobody reads what it writes any more. */
  closeOutput(): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Resolves when the process ends by itself or by a signal. */
  readonly exited: Promise<number | null>;
  /** Removes the folder; after kill or stop. */
  remove(): Promise<void>;
}

/** Starts the program and resolves when it says where its page is. Rejects with its output when it ends before. */
export async function startSwitchyardProcess(options: ProcessOptions): Promise<SwitchyardProcess> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "switchyard-")));
  const config = join(folder, "switchyard.json5");
  await writeFile(config, JSON.stringify(options.config));
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), MAIN, "start", "--config", config], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      SWITCHYARD_PORT: "0",
      NODE_COMPILE_CACHE: COMPILED,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const watched = watchOutput(child);
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const ready = await Promise.race([
    watched.logged((line) => typeof line.url === "string" && line.msg.includes("is ready"), READY_MS),
    exited.then((code) => {
      throw new Error(`the process ended (${code}) before it was ready:\n${watched.text()}`);
    }),
  ]).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await exited;
    throw error;
  });
  return {
    folder,
    url: String(ready.url),
    pid: child.pid ?? 0,
    logs: watched.lines,
    stray: watched.other,
    logged: watched.logged,
    exited,
    closeOutput: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    stop: async () => {
      child.kill("SIGTERM");
      return exited;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}

function watchOutput(child: ChildProcess) {
  const lines: LogLine[] = [];
  const other: string[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  const take = (chunk: string): void => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      if (part.startsWith("{")) lines.push(JSON.parse(part) as LogLine);
      else other.push(part);
    }
    for (const look of [...waiting]) look();
  };
  child.stdout?.setEncoding("utf8").on("data", take);
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => other.push(chunk));
  return {
    lines,
    other,
    text: () => [...other, ...lines.map((line) => JSON.stringify(line))].join("\n"),
    logged: (matches: (line: LogLine) => boolean, withinMs = 10_000): Promise<LogLine> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(matches);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(
              `no such log line within ${withinMs} ms; the last ones:\n${lines
                .slice(-10)
                .map((line) => JSON.stringify(line))
                .join("\n")}\n${other.slice(-5).join("\n")}`,
            ),
          );
        }, withinMs);
        waiting.add(look);
        look();
      }),
  };
}
