import { createInterface } from "node:readline";
import { z } from "zod";
import { OPTIONS_VARIABLE, type Operations } from "./process-operations.ts";

const commandSchema = z.object({ id: z.number(), op: z.string(), args: z.record(z.string(), z.unknown()).optional() });
const holdSchema = z.object({ method: z.string(), times: z.number().optional() });
const releaseSchema = z.object({ number: z.number() });

type Command = z.infer<typeof commandSchema>;
type Say = (message: Record<string, unknown>) => void;

interface Served {
  /** Called between carrying out a request and answering it. */
  onAccepted(hook: (method: string, params: unknown, result: unknown) => Promise<void> | undefined): void;
}

/** Stops requests between carrying out and answering until they are released. */
class Holds {
  readonly #say: Say;
  readonly #waiting = new Map<number, () => void>();
  #left: { method: string; times: number }[] = [];
  #number = 0;

  constructor(say: Say) {
    this.#say = say;
  }

  hold(args: z.infer<typeof holdSchema>): void {
    this.#left.push({ method: args.method, times: args.times ?? 1 });
  }

  release(number: number): void {
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
  }

  pass(method: string, params: unknown, result: unknown): Promise<void> | undefined {
    const hold = this.#left.find((entry) => entry.method === method);
    if (hold === undefined) return undefined;
    hold.times -= 1;
    this.#left = this.#left.filter((entry) => entry.times > 0);
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#say({ event: "accepted", number, method, params, result });
    });
  }
}

/**
 * Makes this process an emulator, for benchmarks and crash tests. It writes `{"event":"listening","url":"http://127.0.0.1:…"}` to
 * stdout, and to its parent when there is an IPC channel. Then it obeys `{id, op, args}`, one JSON object a line on stdin or one
 * IPC message, and answers `{id, result}` or `{id, error}` the same way. Two more operations work on the hook between carrying out
 * and answering: `hold {method, times?}` stops matching requests there and reports `{event: "accepted", number, …}`;
 * `release {number}` lets one go on. It ends when its parent disconnects or stdin closes.
 */
export async function serveProcess<Emulator extends Served>(emulator: {
  readonly start: (options: object) => Promise<Emulator>;
  readonly url: (emulator: Emulator) => string;
  readonly operations: Operations;
}): Promise<void> {
  const served = await emulator.start(JSON.parse(process.env[OPTIONS_VARIABLE] ?? "{}"));
  const withParent = process.send !== undefined;
  const write: Say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const say: Say = withParent ? (message) => void process.send?.(message) : write;
  const holds = new Holds(say);
  served.onAccepted((method, params, result) => holds.pass(method, params, result));

  async function obey({ op, args = {} }: Command): Promise<unknown> {
    if (op === "hold") {
      holds.hold(holdSchema.parse(args));
      return {};
    }
    if (op === "release") {
      holds.release(releaseSchema.parse(args).number);
      return {};
    }
    const operation = Object.hasOwn(emulator.operations, op) ? emulator.operations[op] : undefined;
    if (operation === undefined) throw new Error(`there is no operation ${op}`);
    // Each operation parses its own arguments; the table's type cannot say that they belong together.
    return operation.run(served as never, operation.args.parse(args) as never);
  }

  const receive = async (raw: unknown): Promise<void> => {
    const command = commandSchema.parse(raw);
    try {
      say({ id: command.id, result: await obey(command) });
    } catch (error) {
      say({ id: command.id, error: error instanceof Error ? error.message : String(error) });
    }
  };

  if (withParent) {
    process.on("message", (raw) => void receive(raw));
    process.on("disconnect", () => process.exit(0));
  } else {
    const lines = createInterface({ input: process.stdin });
    lines.on("line", (line) => void receive(JSON.parse(line)));
    lines.on("close", () => process.exit(0));
  }
  const listening = { event: "listening", url: emulator.url(served) };
  write(listening);
  if (withParent) say(listening);
}
