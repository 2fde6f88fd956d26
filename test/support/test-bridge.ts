import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ModelEmulator, type ModelScript, startModelEmulator } from "./emulators/model/index.ts";
import type { Bot, Person } from "./emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "./emulators/telegram/emulator.ts";
import { type ProcessOptions, type SwitchyardProcess, startSwitchyardProcess } from "./switchyard-process.ts";
import { type WebPerson, webPerson } from "./web-person.ts";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));

interface Tree {
  readonly [key: string]: unknown;
}

export interface TestBridgeOptions {
  /** `demo`: the built-in model; otherwise the model emulator answers by this script. Default `demo`. */
  readonly model?: "demo" | ModelScript;
  /** Laid over the configuration below; a function gets the platform, for ids of groups and bots. */
  readonly config?: Tree | ((world: World) => Tree);
  /** More arguments for node (a preload) and environment of the first process. */
  readonly start?: Pick<ProcessOptions, "nodeArgs" | "env">;
  /** False: no Telegram account is configured. Default true. */
  readonly telegram?: boolean;
  /** False: what the model was asked is not kept (a long run). Default true. */
  readonly keepRequests?: boolean;
}

export interface World {
  readonly tg: TelegramEmulator;
  readonly bot: Bot;
  readonly ann: Person;
  readonly bob: Person;
  readonly model: ModelEmulator;
}

export interface CliAnswer {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** The whole program as a child process, the platforms and the model around it, and people to talk with. */
export interface TestBridge extends World, AsyncDisposable {
  readonly process: SwitchyardProcess;
  readonly web: WebPerson;
  /** Replaces what the model answers. */
  script(script: ModelScript): void;
  /** Starts the program again on the same folder; the former process must have ended. */
  restart(start?: Pick<ProcessOptions, "nodeArgs" | "env">): Promise<SwitchyardProcess>;
  /** Runs the command line as a process of its own in the program's folder. */
  cli(...args: readonly string[]): Promise<CliAnswer>;
}

/**
 * Starts emulators and program. The configuration: web page on a free port, one Telegram account that everybody may
 * write to and that any group may use when it is mentioned (the bot hears everything there), pacing off (the emulator's own
 * limits are off), no rate limit per sender, Ann as owner.
 */
export async function startTestBridge(options: TestBridgeOptions = {}): Promise<TestBridge> {
  const script = options.model === undefined || options.model === "demo" ? undefined : options.model;
  const [tg, model] = await Promise.all([
    startTelegramEmulator(),
    startModelEmulator({
      ...(script === undefined ? {} : { script }),
      keepRequests: options.keepRequests ?? true,
    }),
  ]);
  const world: World = {
    tg,
    model,
    bot: tg.bot({ username: "switchy_bot", name: "Switchy", canReadAllGroupMessages: true }),
    ann: tg.user({ name: "Ann", username: "ann" }),
    bob: tg.user({ name: "Bob", username: "bob" }),
  };
  const own = typeof options.config === "function" ? options.config(world) : (options.config ?? {});
  const config = merged(baseConfig(world, options, script !== undefined), own);
  const state = {
    process: await startSwitchyardProcess({ config, ...options.start }).catch(async (error: unknown) => {
      await Promise.all([tg.stop(), model.close()]);
      throw error;
    }),
  };
  const web = webPerson(() => state.process.url);
  return {
    ...world,
    web,
    get process() {
      return state.process;
    },
    script: (next) => model.script(next),
    async restart(start = {}) {
      state.process = await startSwitchyardProcess({ config, folder: state.process.folder, ...start });
      return state.process;
    },
    cli: (...args) => runCommandLine(state.process.folder, args),
    async [Symbol.asyncDispose]() {
      web.leaves();
      await state.process.kill();
      await Promise.all([tg.stop(), model.close()]);
      await state.process.remove();
    },
  };
}

function baseConfig(world: World, options: TestBridgeOptions, scripted: boolean): Tree {
  const emulated = { type: "openai-compatible", baseUrl: world.model.url, apiKey: "none" };
  const telegram = {
    botToken: world.bot.token,
    apiRoot: world.tg.apiRoot,
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    pacing: false,
  };
  return {
    logging: { level: "debug", content: true },
    models: { providers: { emulated, demo: { type: "demo" } } },
    agents: {
      defaults: { model: scripted ? "emulated/small" : "demo/switchyard" },
      entries: { main: { default: true, name: "Main", instructions: "You help in a test." } },
    },
    commands: { ownerAllowFrom: [`telegram:${world.ann.id}`] },
    limits: { perSender: { perMinute: 0 } },
    channels: { web: { enabled: true }, ...(options.telegram === false ? {} : { telegram }) },
  };
}

/** Objects are merged, everything else is replaced; `undefined` takes a key away. */
function merged(base: Tree, over: Tree): Tree {
  const entries = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isTree(below) && isTree(value) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function runCommandLine(folder: string, args: readonly string[]): Promise<CliAnswer> {
  const full = [MAIN, ...args, "--config", join(folder, "switchyard.json5")];
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, full, { cwd: folder, env, timeout: 60_000 }, (error, out, err) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ exitCode, out, err });
    });
  });
}
