import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { type HeldRequest, OPTIONS_VARIABLE, type Operations } from "./process-operations.ts";

type FromChild =
  | { event: "listening"; url: string }
  | ({ event: "accepted" } & HeldRequest)
  | { id: number; result?: unknown; error?: string };

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** An emulator in its own process, driven from this one. */
export class RemoteEmulator<Known extends Operations> {
  /** Where clients find its API. */
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #held: HeldRequest[] = [];
  #onHeld: ((held: HeldRequest) => void) | null = null;
  #id = 0;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on("message", (message) => this.#receive(message as FromChild));
    child.on("exit", () => this.#fail(new Error("the emulator's process has ended")));
  }

  /** Process id of the emulator. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  #receive(message: FromChild): void {
    if ("event" in message) {
      if (message.event === "accepted") this.#arrived(message);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error === undefined) pending?.resolve(message.result);
    else pending?.reject(new Error(message.error));
  }

  #arrived({ number, method, params, result }: HeldRequest): void {
    const held = { number, method, params, result };
    if (this.#onHeld === null) this.#held.push(held);
    else this.#onHeld(held);
    this.#onHeld = null;
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #send(op: string, args: unknown): Promise<unknown> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, op, args });
    });
  }

  /** Carries out one operation of its `control.ts` in the emulator's process. */
  do<Name extends keyof Known & string>(
    op: Name,
    args: z.infer<Known[Name]["args"]>,
  ): Promise<Awaited<ReturnType<Known[Name]["run"]>>> {
    // The other side answers with what this operation returns, as JSON.
    return this.#send(op, args) as Promise<Awaited<ReturnType<Known[Name]["run"]>>>;
  }

  /** From now on, the next `times` (1) requests of a method stop after they were carried out. See `held`. */
  async hold(method: string, times = 1): Promise<void> {
    await this.#send("hold", { method, times });
  }

  /** Resolves with the next held request. */
  held(): Promise<HeldRequest> {
    const waiting = this.#held.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    return new Promise((resolve) => {
      this.#onHeld = resolve;
    });
  }

  /** Lets a held request be answered. */
  async release(held: HeldRequest): Promise<void> {
    await this.#send("release", { number: held.number });
  }

  /** Ends the emulator's process. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exited;
  }
}

/** Starts the emulator that a `serve.ts` serves in a process of its own. End it with `close()`. */
export async function startRemote<Known extends Operations>(
  serve: URL,
  options: object,
): Promise<RemoteEmulator<Known>> {
  const child = fork(fileURLToPath(serve), {
    env: { ...process.env, [OPTIONS_VARIABLE]: JSON.stringify(options) },
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("the emulator's process ended at once")));
  const [first] = (await Promise.race([once(child, "message"), ended])) as [FromChild];
  if (!("event" in first) || first.event !== "listening") throw new Error("the emulator did not start");
  return new RemoteEmulator(child, first.url);
}
