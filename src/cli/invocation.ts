import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { type LoadedConfig, loadConfig } from "../../config/load/load.ts";
import type { CommandLine } from "../bridge/accept/arrival.ts";
import type { Settings } from "../core/settings.ts";
import { NO_PROCESS_NOTE, noStore, notRunning, type Refused } from "../core/texts/cli/answers.ts";
import { DELIVERY_NUMBER, NUMBER_TO_1000, TIME_SPAN } from "../core/texts/cli/help.ts";
import { readDuration } from "../core/time.ts";
import type { ControlApi, ControlReads } from "./control/api.ts";
import { connectControl } from "./control/client.ts";
import type { CliDeps } from "./deps.ts";
import { commandLine } from "./own-command.ts";

/** One call of one command: its global options and the ways to the process and its store. */
export class Invocation {
  readonly deps: CliDeps;
  readonly isJson: boolean;
  readonly #config: string | undefined;
  readonly #port: string | undefined;

  constructor(deps: CliDeps, command: Command) {
    const options = command.optsWithGlobals<{ json?: boolean; config?: string; port?: string }>();
    this.deps = deps;
    this.isJson = options.json === true;
    this.#config = options.config;
    this.#port = options.port;
  }

  /** `file`: this one in place of the configured one. */
  load(file: string | undefined = this.#config): Promise<LoadedConfig> {
    const { env, cwd, catalog } = this.deps;
    return loadConfig({ path: file, port: this.#port, env, cwd, catalog });
  }

  /** Writes the result: JSON with `--json`, else what `human` makes of it. */
  print<T>(value: T, human: (value: T) => string): void {
    if (this.isJson) this.deps.output.json(value);
    else this.deps.output.out(human(value));
  }

  /** Asks the running process; without one, a read-only open of its store (OP-5). */
  async look<T>(read: (reads: ControlReads) => Promise<T>): Promise<T> {
    const { settings } = await this.load();
    const live = await connectControl(settings.store.dataDir);
    if (live !== null) return await read(live);
    const file = databaseFile(settings);
    if (!existsSync(file)) throw new CliFailure(noStore(file, this.startCommand()));
    const store = await (await this.deps.storeFiles()).openForReading(file);
    try {
      const { createControlReads } = await import("./control/reads.ts");
      const result = await read(
        createControlReads({
          store,
          clock: this.deps.clock,
          settings: () => settings,
          channels: this.deps.catalog.channels,
          live: null,
        }),
      );
      if (!this.isJson) this.deps.output.err(NO_PROCESS_NOTE);
      return result;
    } finally {
      await store.close();
    }
  }

  /** The running process, for what changes something; without one a failure that says how to start it (OP-5). */
  async process(): Promise<ControlApi> {
    const { settings } = await this.load();
    const live = await connectControl(settings.store.dataDir);
    if (live !== null) return live;
    throw new CliFailure(notRunning(settings.store.dataDir, this.startCommand()));
  }

  /** Ends the command with exit code 1 after its result was printed. */
  fail(): never {
    throw new ExitWith(1);
  }

  exitWith(code: number): void {
    if (code !== 0) throw new ExitWith(code);
  }

  /** How the operator runs another command beside this one. */
  commandLine(): CommandLine {
    return commandLine({ ...this.deps, config: this.#config });
  }

  startCommand(): string {
    return this.#config === undefined ? "switchyard start" : `switchyard start --config ${this.#config}`;
  }
}

/** Ends a command that has already printed its result. */
export class ExitWith extends Error {
  override readonly name = "ExitWith";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The SQLite file of the settings. */
export function databaseFile(settings: Settings): string {
  return settings.store.url.replace(/^sqlite:/, "");
}

/** A command that cannot be run: what is wrong and what to do. No stack is shown. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  readonly remedy: string | null;

  constructor({ message, remedy }: Refused) {
    super(message);
    this.remedy = remedy;
  }
}

/** A whole number from 1 to 1000, as an option or argument. */
export function positiveNumber(written: string): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number < 1 || number > 1_000) throw new InvalidArgumentError(NUMBER_TO_1000);
  return number;
}

/** The number of a delivery, or the run of a lost result. */
export function deliveryOrRun(written: string): number | string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(written) ? written : deliveryId(written);
}

/** The number of a delivery. */
export function deliveryId(written: string): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number < 1 || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError(DELIVERY_NUMBER);
  }
  return number;
}

/** A thousand years: what lies before has no row, and a store takes no number without end. */
const MOST_MS = 365_000 * 86_400_000;

/** A time that has passed, such as `90s`, `20m`, `2h` or `3d`; in milliseconds. */
export function timeSpan(written: string): number {
  const ms = readDuration(written);
  if (ms === null || ms <= 0 || ms > MOST_MS) throw new InvalidArgumentError(TIME_SPAN);
  return ms;
}
