import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TelegramMessage } from "@gramio/types/objects";
import { afterEach } from "vitest";
import { type ModelEmulator, type ModelScript, startModelEmulator } from "./emulators/model/index.ts";
import type { Bot, Person } from "./emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "./emulators/telegram/emulator.ts";
import { type ProcessOptions, type SwitchyardProcess, startSwitchyardProcess } from "./switchyard-process.ts";

export const BOT_TOKEN = "4711:AAsecret_telegram_token_0123456789abcd";
export const API_KEY = "sk-proj-Model0Key1Of2The3Test4abcdefghijkl";

export interface SceneOptions {
  /** What the model answers; default: `echo: <the last words of the person>`. */
  readonly script?: ModelScript;
  /** Laid over the scene's configuration, section by section. */
  readonly config?: Readonly<Record<string, object>>;
  /** Previews while the model speaks; default off. */
  readonly streaming?: "partial" | "off";
  /** Where the store lies; default: the process's own folder. */
  readonly store?: string;
  readonly process?: Pick<ProcessOptions, "nodeArgs" | "env" | "folder">;
}

/** The real program between a Telegram and a model, all of it on loopback. */
export interface ProgramScene {
  readonly telegram: TelegramEmulator;
  readonly model: ModelEmulator;
  readonly bot: Bot;
  readonly ann: Person;
  readonly program: SwitchyardProcess;
  /** What Ann reads from the bot, in order, once `wanted` holds. */
  answers(wanted: (texts: readonly string[]) => boolean): Promise<readonly string[]>;
  /** Everything the bot has written to Ann so far. */
  shown(): readonly string[];
}

const closing: (() => Promise<unknown>)[] = [];

/** Ends what a test started, newest first. */
export function closeScenesAfterEach(): void {
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
}

export function afterTest(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Short, since the control socket's path is bounded. */
export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), "sw-"));
}

export async function startScene(options: SceneOptions = {}): Promise<ProgramScene> {
  const telegram = await startTelegramEmulator();
  afterTest(() => telegram.stop());
  const model = await startModelEmulator(options.script === undefined ? {} : { script: options.script });
  afterTest(() => model.close());
  const bot = telegram.bot({ username: "switchy_bot", token: BOT_TOKEN });
  const ann = telegram.user({ name: "Ann" });
  const config = sceneConfig({ telegram: telegram.apiRoot, model: model.url }, options);
  const program = await startSwitchyardProcess({ ...options.process, config });
  afterTest(async () => {
    await program.kill();
    if (options.process?.folder === undefined) await program.remove();
  });
  await program.logged((line) => line.msg === "account is ready" && line.account === "telegram/default");
  const shown = (): string[] => fromBot(telegram, bot, ann).map((message) => message.text ?? "");
  return {
    telegram,
    model,
    bot,
    ann,
    program,
    shown,
    answers: (wanted) =>
      telegram.until(() => (wanted(shown()) ? shown() : undefined), {
        what: `the answers (so far ${JSON.stringify(shown())})`,
        within: 45_000,
      }),
  };
}

function fromBot(telegram: TelegramEmulator, bot: Bot, ann: Person): readonly TelegramMessage[] {
  return telegram.messages(ann.dm(bot)).filter((message) => message.from?.id === bot.user.id);
}

/** The configuration of a scene: one agent on the emulated model, everybody may write to the bot. */
export function sceneConfig(
  at: { readonly telegram: string; readonly model: string },
  { store, config = {}, streaming = "off" }: Pick<SceneOptions, "store" | "config" | "streaming"> = {},
): Record<string, object> {
  const channels = {
    web: { enabled: true },
    telegram: { botToken: BOT_TOKEN, apiRoot: at.telegram, dmPolicy: "open", allowFrom: ["*"], streaming },
  };
  const base: Record<string, object> = {
    store: { url: `sqlite:${store ?? "./data/switchyard.db"}` },
    models: { providers: { fake: { type: "openai-compatible", baseUrl: at.model, apiKey: API_KEY } } },
    agents: { defaults: { model: "fake/m" } },
    limits: { perSender: { perMinute: 10_000 } },
    channels,
  };
  const sections = new Set([...Object.keys(base), ...Object.keys(config)]);
  return Object.fromEntries([...sections].map((name) => [name, { ...base[name], ...config[name] }]));
}
