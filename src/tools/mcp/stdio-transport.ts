import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setImmediate as others } from "node:timers/promises";
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import type { McpServerSettings } from "../../core/settings.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";

type StdioServer = Extract<McpServerSettings["transport"], { kind: "stdio" }>;

/** How long a server may take to leave after its input is closed, and again after SIGTERM. */
const LEAVE_MS = 2_000;
/** How long the next of the last words of a server that ended is waited for, when a process of its own holds the pipe open. */
const LAST_WORDS_MS = 200;
const MAX_LINE = 2_000;
const MAX_MESSAGE = 10 * 1024 * 1024;
/** Lines that are not messages, without a message between them (FC-406). */
const MAX_NOISE = 10_000;
/** So many lines, and the lines of so many bytes, are read before anything else may run. */
const LINES_AT_ONCE = 20;
const BYTES_AT_ONCE = 4 * 1024;
/** What a server gets of Switchyard's own environment; everything else must be named in `env`. */
const INHERITED = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"] as const;

/**
 * A server as a child process. The client's own transport ends only the process it started; here the server leads a process group
 * of its own, so that what a launcher (`npx`) starts ends with it, and a Ctrl-C in the terminal reaches Switchyard first.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #server: StdioServer;
  readonly #onLine: (line: string) => void;
  readonly #buffer = new LineBuffer(MAX_MESSAGE);
  #child: ChildProcess | null = null;
  #reading: Promise<void> = Promise.resolve();
  #lines = 0;
  #ended: Promise<void> = Promise.resolve();
  /** How the process ended, in words; null while it runs. */
  ending: string | null = null;

  constructor(server: StdioServer, onLine: (line: string) => void) {
    this.#server = server;
    this.#onLine = onLine;
  }

  start(): Promise<void> {
    const { command, args, cwd, env } = this.#server;
    const child = spawn(command, [...args], { cwd, env: { ...inherited(), ...env }, detached: true, stdio: "pipe" });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("error", (error) => this.#left(serverTexts.ending.notStarted(error.message), resolve));
      child.once("exit", (code, signal) => {
        const ending = signal === null ? serverTexts.ending.code(code) : serverTexts.ending.signal(signal);
        void this.#lastWords().then(() => this.#left(ending, resolve));
      });
    });
    // Writing to a server that has exited fails; its exit is already reported.
    child.stdin.on("error", (error) => this.onerror?.(error));
    this.#reading = this.#readAll(child.stdout);
    const said = new CutLines(MAX_LINE, this.#onLine);
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    child.stderr.on("end", () => said.end());
    child.stderr.on("error", (error) => this.onerror?.(error));
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    const input = this.#child?.stdin;
    if (this.ending !== null || input === null || input === undefined || !input.writable) {
      return Promise.reject(new Error(this.ending ?? "its input is closed"));
    }
    // Not waiting for a server that does not read: the request has its own time limit.
    input.write(serializeMessage(message));
    return Promise.resolve();
  }

  /** Closes the server's input, then asks and at last forces its whole process group to end. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin?.end();
    if (!(await within(LEAVE_MS, this.#ended))) {
      signalGroup(child.pid, "SIGTERM");
      await within(LEAVE_MS, this.#ended);
    }
    signalGroup(child.pid, "SIGKILL");
    await this.#ended;
  }

  /** Reads no faster than it handles, so that a server that writes without end holds up nothing and fills nothing. */
  async #readAll(stdout: Readable): Promise<void> {
    let noise = 0;
    try {
      for await (const piece of piecesOf(stdout)) {
        // What an ending server still writes is read and dropped: a full pipe would keep it from leaving.
        const lines = this.ending === null ? this.#buffer.push(piece) : [];
        // A message without an end: what follows cannot be told from its middle.
        if (lines === null) this.#end(serverTexts.ending.tooLarge);
        for (const line of lines ?? []) {
          this.#lines += 1;
          if (this.#lines % LINES_AT_ONCE === 0) await others();
          if (this.ending !== null) break;
          noise = this.#take(line) ? 0 : noise + 1;
          if (noise > MAX_NOISE) this.#end(serverTexts.ending.noise);
        }
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Resolves when everything is read, or nothing has been for a while. */
  async #lastWords(): Promise<void> {
    for (let before = -1; before !== this.#lines; ) {
      before = this.#lines;
      if (await within(LAST_WORDS_MS, this.#reading)) return;
    }
  }

  #end(ending: string): void {
    this.ending = ending;
    void this.close();
  }

  /** False: it is no message. Servers print all kinds of things where only messages belong. */
  #take(line: string): boolean {
    if (line.trim() === "") return false;
    try {
      const message = deserializeMessage(line);
      this.onmessage?.(message);
      return true;
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #left(ending: string, resolve: () => void): void {
    this.ending ??= ending;
    // What the server started itself must not outlive it.
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, "SIGTERM");
    resolve();
    this.onclose?.();
  }
}

function inherited(): Record<string, string> {
  const entries = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) yield bytes.subarray(from, from + BYTES_AT_ONCE);
  }
}

/** True when `done` resolved in time. */
async function within(ms: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // No process of the group is left, as intended; some systems say EPERM for one that waits to be reaped.
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

const NEWLINE = 0x0a;

/** What a server says on stderr, line by line: of a line only its first bytes are kept, however long it goes on (FC-406). */
class CutLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The line was reported already; the rest of it is dropped. */
  #cut = false;

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      if (!this.#cut) this.#report();
      this.#cut = false;
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  end(): void {
    if (this.#bytes > 0) this.#report();
  }

  #add(bytes: Buffer): void {
    if (this.#cut || bytes.length === 0) return;
    // A copy: a view would keep the whole chunk alive.
    const part = Buffer.from(bytes.subarray(0, this.#maxBytes - this.#bytes));
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes < this.#maxBytes) return;
    this.#report();
    this.#cut = true;
  }

  #report(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

/**
 * Lines out of a stream of bytes, in time linear in their length: the client's own buffer copies and searches all it holds at every
 * chunk, so that one message of some megabytes would stop the whole process for seconds.
 */
export class LineBuffer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that are complete now, without their ends; null: a line is longer than the limit, and nothing more can be read. */
  push(chunk: Buffer): readonly string[] | null {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      const line = this.#parts.length === 0 ? piece : Buffer.concat([...this.#parts, piece]);
      this.#parts = [];
      this.#bytes = 0;
      lines.push(line.toString("utf8"));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    this.#bytes += rest.length;
    if (this.#bytes > this.#maxBytes) return null;
    if (rest.length > 0) this.#parts.push(rest);
    return lines;
  }
}
