import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import { afterTest } from "../support/program-scene.ts";
import { startSwitchyardProcess } from "../support/switchyard-process.ts";
import { root } from "./pages.ts";

const TOKEN = "123456:AAsecret_telegram_token_0123456789abcd";
/** As the pages write it: the configuration reads the variable. */
const TOKEN_REFERENCE = ["$", "{TELEGRAM_BOT_TOKEN}"].join("");
/** Where the pages say the program runs. */
const FOLDER = "/srv/switchyard";
const NAMES = ["Ann", "Ben", "Cem", "Dora"] as const;
type Name = (typeof NAMES)[number];

export interface DocsScene {
  /** Runs a command of a page as a shell does, in the program's folder or (`npm …`) in the repository. */
  run(command: string): Promise<{ readonly code: number; readonly printed: string }>;
  /** A person writes to the bot for the first time; resolves with the code they are shown. */
  asks(who: Name): Promise<string>;
  /** A person writes to the bot directly; resolves when the reply is there. */
  writes(who: Name, text: string): Promise<void>;
  /** Somebody writes in the group that is listed (`team`) or in the one that is not. */
  inGroup(which: "team" | "other", text: string): Promise<void>;
  writesFile(name: string, text: string): void;
  /** The log so far, as a file `switchyard.log`. */
  keepsLog(): void;
  stop(): Promise<void>;
}

/** The program in a folder of its own, with the demo model and one Telegram bot, as the pages show it. */
export async function startDocsScene(): Promise<DocsScene> {
  const telegram = await startTelegramEmulator();
  afterTest(() => telegram.stop());
  const bot = telegram.bot({ username: "my_bot", token: TOKEN, canReadAllGroupMessages: true });
  const people = new Map(NAMES.map((name) => [name, telegram.user({ name })]));
  const ann = people.get("Ann");
  if (ann === undefined) throw new Error("the scene has an Ann");
  const team = telegram.group({ title: "Team", members: [ann, bot] });
  const other = telegram.group({ title: "Other", members: [ann, bot] });
  const config = {
    logging: { level: "debug" },
    models: { providers: { demo: { type: "demo" } } },
    agents: { defaults: { model: "demo/switchyard" } },
    channels: {
      telegram: { botToken: TOKEN_REFERENCE, apiRoot: telegram.apiRoot, groups: { [team.id]: {} } },
    },
  };
  const program = await startSwitchyardProcess({ config, env: { TELEGRAM_BOT_TOKEN: TOKEN } });
  afterTest(async () => {
    await program.kill();
    await program.remove();
  });
  await program.logged((line) => line.msg === "account is ready" && line.account === "telegram/default");
  const shim = join(program.folder, ".bin");
  mkdirSync(shim);
  writeFileSync(join(shim, "switchyard"), `#!/bin/sh\nexec "${process.execPath}" "${root}src/main.js" "$@"\n`);
  chmodSync(join(shim, "switchyard"), 0o755);
  const env = {
    PATH: `${shim}:${join(root, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
    HOME: program.folder,
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_SECOND_TOKEN: "654321:AAsecret_telegram_token_0123456789abcd",
    npm_config_cache: join(program.folder, ".npm"),
    npm_config_update_notifier: "false",
  };

  function run(command: string): Promise<{ code: number; printed: string }> {
    const isNpm = command.startsWith("npm ");
    const here = isNpm
      ? { cwd: root, env: { ...env, SWITCHYARD_CONFIG: join(program.folder, "switchyard.json5") } }
      : { cwd: program.folder, env };
    const port = new URL(program.url).port;
    const asked = command.replaceAll("127.0.0.1:4180", `127.0.0.1:${port}`);
    return new Promise((resolve) => {
      execFile("bash", ["-c", `${asked} 2>&1`], { ...here, timeout: 60_000 }, (error, out) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        const printed = out.replaceAll(program.folder, FOLDER).replaceAll(`127.0.0.1:${port}`, "127.0.0.1:4180");
        resolve({ code, printed: printed.trimEnd() });
      });
    });
  }

  const talk = (who: Name) => {
    const person = people.get(who);
    if (person === undefined) throw new Error(`the scene has no ${who}`);
    return person.dm(bot);
  };
  const fromBot = (who: Name): string[] =>
    telegram
      .messages(talk(who))
      .flatMap(({ from, text }) => (from?.id === bot.user.id && text !== undefined ? [text] : []));

  return {
    run,
    asks: (who) => {
      talk(who).says("/whoami");
      const code = () => /\b[A-HJ-NP-Z2-9]{8}\b/.exec(fromBot(who).join("\n"))?.[0];
      return telegram.until(code, { what: `a code for ${who}`, within: 30_000 });
    },
    writes: async (who, text) => {
      const message = talk(who).says(text);
      const isOurs = (inputs: unknown): boolean =>
        Array.isArray(inputs) && inputs.some((input) => String(input).endsWith(`/${message.message_id}`));
      const turn = await program.logged((line) => line.msg === "turn ended" && isOurs(line.inputs), 30_000);
      await program.logged(
        (line) => typeof line.delivery === "number" && line.turnId === turn.turn && line.state === "sent",
        30_000,
      );
    },
    inGroup: async (which, text) => {
      const message = (which === "team" ? team : other).from(ann).says(text);
      const about = `/${message.chat.id}/${message.message_id}/message/`;
      await program.logged((line) => typeof line.event === "string" && line.event.includes(about), 30_000);
    },
    writesFile: (name, text) => writeFileSync(join(program.folder, name), text),
    keepsLog: () =>
      writeFileSync(
        join(program.folder, "switchyard.log"),
        program.logs.map((line) => `${JSON.stringify(line)}\n`).join(""),
      ),
    stop: async () => {
      await program.stop();
    },
  };
}

/** The first configuration a page shows. */
export function firstSnippet(page: string): string {
  const text = readFileSync(join(root, page), "utf8");
  return /```json5\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
}
