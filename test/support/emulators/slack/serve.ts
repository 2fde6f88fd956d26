/**
 * The emulator as its own process, for benchmarks and crash tests: `node test/support/emulators/slack/serve.ts`.
 * It writes `{"event":"listening","apiUrl":"http://127.0.0.1:…"}` to stdout, and to its parent when there is an
 * IPC channel. Then it obeys `{id, op, args}` (see `OPERATIONS`), one JSON object a line on stdin or one IPC message,
 * and answers `{id, result}` or `{id, error}` the same way. Two more operations work on the hook between carrying out
 * and answering: `hold {method, times?}` stops matching requests there and reports `{event: "accepted", number, …}`;
 * `release {number}` lets one go on. It ends when its parent disconnects or stdin closes.
 *
 * Options in `SLACK_EMULATOR`, as JSON: `{"rateLimits": true, "ackMs": 500}`.
 */
import { createInterface } from "node:readline";
import { z } from "zod";
import { OPERATIONS, type OperationName } from "./control.ts";
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from "./emulator.ts";

const commandSchema = z.object({ id: z.number(), op: z.string(), args: z.record(z.string(), z.unknown()).optional() });
const holdSchema = z.object({ method: z.string(), times: z.number().optional() });
const releaseSchema = z.object({ number: z.number() });

type Say = (message: Record<string, unknown>) => void;

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

  pass(method: string, args: unknown, result: unknown): Promise<void> | undefined {
    const hold = this.#left.find((entry) => entry.method === method);
    if (hold === undefined) return undefined;
    hold.times -= 1;
    this.#left = this.#left.filter((entry) => entry.times > 0);
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#say({ event: "accepted", number, method, args, result });
    });
  }
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

async function obey(sl: SlackEmulator, holds: Holds, command: z.infer<typeof commandSchema>): Promise<unknown> {
  const { op, args = {} } = command;
  if (op === "hold") {
    holds.hold(holdSchema.parse(args));
    return {};
  }
  if (op === "release") {
    holds.release(releaseSchema.parse(args).number);
    return {};
  }
  if (!isOperation(op)) throw new Error(`there is no operation ${op}`);
  // Each operation parses its own arguments; the table's union type cannot say that they belong together.
  const { args: schema, run } = OPERATIONS[op] as {
    args: z.ZodType;
    run: (s: SlackEmulator, a: unknown) => unknown;
  };
  return run(sl, schema.parse(args));
}

async function main(): Promise<void> {
  const options = JSON.parse(process.env.SLACK_EMULATOR ?? "{}") as EmulatorOptions;
  const sl = await startSlackEmulator(options);
  const withParent = process.send !== undefined;
  const write: Say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const say: Say = withParent ? (message) => void process.send?.(message) : write;
  const holds = new Holds(say);
  sl.onAccepted((method, args, result) => holds.pass(method, args, result));

  const receive = async (raw: unknown): Promise<void> => {
    const command = commandSchema.parse(raw);
    try {
      say({ id: command.id, result: await obey(sl, holds, command) });
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
  const listening = { event: "listening", apiUrl: sl.apiUrl };
  write(listening);
  if (withParent) say(listening);
}

await main();
