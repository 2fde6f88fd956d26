import { createHash } from "node:crypto";
import type { Api } from "grammy";
import type { BotCommand, BotCommandScope } from "grammy/types";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import { menuTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import { readRefusal } from "../errors.ts";
import { apiSignal } from "../gateway/transport.ts";

const MOST_COMMANDS = 100;
const LONGEST_NAME = 32;
const LONGEST_DESCRIPTION = 256;
/** Telegram also limits the size of the whole list; this is what descriptions shrink to before commands are left out (FC-059). */
const SHORT_DESCRIPTION = 60;
const FEWEST_COMMANDS = 5;

/** A narrower scope hides a wider one, so all that people look at are set alike. */
const SCOPES: readonly BotCommandScope[] = [
  { type: "default" },
  { type: "all_private_chats" },
  { type: "all_group_chats" },
];

export interface Menu {
  readonly commands: readonly BotCommand[];
  /** Menu name → own name, where they differ; what people pick from the menu is turned back by it. */
  readonly names: ReadonlyMap<string, string>;
  /** What is not in the menu, each with the reason. */
  readonly leftOut: readonly string[];
}

/** Turns the commands into what Telegram takes: names of `[a-z0-9_]{1,32}`, each once, at most 100 (CM-2, FC-058, FC-059). */
export function menuOf(commands: readonly NativeCommand[]): Menu {
  const menu = new Map<string, BotCommand>();
  const names = new Map<string, string>();
  const leftOut: string[] = [];
  for (const { name, description } of commands) {
    const command = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, LONGEST_NAME);
    if (command === "") leftOut.push(menuTexts.telegramName(name));
    else if (menu.has(command)) leftOut.push(menuTexts.taken(name, "Telegram", command));
    else if (menu.size >= MOST_COMMANDS) leftOut.push(menuTexts.tooMany(name, "Telegram", MOST_COMMANDS));
    else {
      menu.set(command, { command, description: shorten(description.trim() || command, LONGEST_DESCRIPTION) });
      if (command !== name) names.set(command, name);
    }
  }
  return { commands: [...menu.values()], names, leftOut };
}

/** Cuts at a character people see as one, so that no half of one is left. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (cut.length + segment.length >= most) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

/** The next smaller list after a refusal: shorter descriptions first, then fewer commands, from the tail. null: give up. */
export function shrink(commands: readonly BotCommand[]): readonly BotCommand[] | null {
  if (commands.some(({ description }) => description.length > SHORT_DESCRIPTION)) {
    return commands.map(({ command, description }) => ({
      command,
      description: shorten(description, SHORT_DESCRIPTION),
    }));
  }
  if (commands.length <= FEWEST_COMMANDS) return null;
  return commands.slice(0, Math.floor(commands.length * 0.8));
}

/**
 * Puts the menu up at Telegram in every scope, only when it differs from what was put up last for this bot (CH-6), and
 * reads it back. Rejects when Telegram cannot be reached; a refused list is made smaller until it is taken.
 */
export async function putUpMenu(parts: {
  readonly api: Api;
  readonly botId: string;
  readonly host: AdapterHost;
  readonly menu: Menu;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { api, botId, host, menu, signal } = parts;
  const key = `commands:${botId}`;
  const hash = createHash("sha256").update(JSON.stringify(menu.commands)).digest("hex");
  if ((await host.state.get(key)) === hash) return;
  for (const reason of menu.leftOut) host.log.warn({ reason }, "a command is missing from Telegram's menu");
  let commands: readonly BotCommand[] = menu.commands;
  for (const scope of SCOPES) commands = await putUp(commands, scope);
  const shown = await api.getMyCommands({ scope: { type: "default" } }, apiSignal(signal));
  if (shown.length !== commands.length) {
    host.log.warn({ sent: commands.length, shown: shown.length }, "Telegram's menu does not show every command");
    return;
  }
  if (commands.length < menu.commands.length) {
    const missing = menu.commands.slice(commands.length).map(({ command }) => command);
    host.log.warn({ missing }, "Telegram refused the full menu; the last commands are missing from it");
  }
  await host.state.set(key, hash);

  /** Returns the list that was taken. */
  async function putUp(wanted: readonly BotCommand[], scope: BotCommandScope): Promise<readonly BotCommand[]> {
    let list = wanted;
    for (;;) {
      try {
        await api.setMyCommands(list, { scope }, apiSignal(signal));
        return list;
      } catch (error) {
        const refusal = readRefusal(error);
        if (refusal.kind === "rate_limited") {
          await pause(refusal.afterMs, signal);
          if (signal.aborted) throw error;
          continue;
        }
        const smaller = refusal.kind === "refused" ? shrink(list) : null;
        if (smaller === null) throw error;
        host.log.info(
          { reason: refusal.reason, commands: smaller.length },
          "Telegram refused the menu; a smaller one is tried",
        );
        list = smaller;
      }
    }
  }
}
