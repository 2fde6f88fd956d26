import { createHash } from "node:crypto";
import type { REST } from "discord.js";
import {
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from "discord-api-types/v10";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { NativeCommand, Suggestion, SuggestionKind } from "../../../src/channel/capabilities.ts";
import { menuTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { pause } from "../../../src/core/time.ts";
import { readRefusal } from "../errors.ts";

const MOST_COMMANDS = 100;
const MOST_OPTIONS = 25;
const MOST_CHOICES = 25;
const LONGEST_NAME = 32;
const LONGEST_TEXT = 100;
/** Names, descriptions and values of one command together. */
const MOST_CHARACTERS = 8_000;

type Body = RESTPutAPIApplicationCommandsJSONBody[number];

export interface Menu {
  readonly commands: readonly Body[];
  /** Shown name → its value. */
  readonly known: ReadonlyMap<string, KnownCommand>;
  /** What is not in the menu, each with the reason. */
  readonly leftOut: readonly string[];
}

export interface KnownCommand {
  readonly name: string;
  readonly restricted: boolean;
  /** Shown option names in the order of the definition. */
  readonly order: readonly string[];
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** Options with suggestions from the host (CM-12). */
  readonly suggests: ReadonlyMap<string, SuggestionKind>;
}

/**
 * Turns the commands into what Discord takes (CM-2, FC-056): names once each, at most 100 in the order given, descriptions of
 * 1 to 100 characters, required options first. More than 25 choices, and choices that make a command larger than Discord
 * takes, are suggested while a person types.
 */
export function menuOf(commands: readonly NativeCommand[]): Menu {
  const bodies: Body[] = [];
  const known = new Map<string, KnownCommand>();
  const leftOut: string[] = [];
  for (const command of commands) {
    const shown = shownName(command.name);
    if (shown === "") leftOut.push(menuTexts.discordName(command.name));
    else if (known.has(shown)) leftOut.push(menuTexts.taken(command.name, "Discord", shown));
    else if (bodies.length >= MOST_COMMANDS) leftOut.push(menuTexts.tooMany(command.name, "Discord", MOST_COMMANDS));
    else {
      const options = optionsOf(command);
      const unshown = command.arguments.slice(options.length).map(({ name }) => name);
      if (unshown.length > 0) leftOut.push(menuTexts.options(command.name, unshown, MOST_OPTIONS));
      bodies.push(bodyOf(shown, command, options));
      known.set(shown, {
        name: command.name,
        restricted: command.restricted === true,
        order: options.map((option) => option.shown),
        choices: new Map(options.map((option) => [option.shown, option.choices])),
        suggests: new Map(
          options.flatMap(({ shown, suggests }) => (suggests === null ? [] : [[shown, suggests] as const])),
        ),
      });
    }
  }
  return { commands: bodies, known, leftOut };
}

interface Option {
  readonly shown: string;
  readonly description: string;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly suggests: SuggestionKind | null;
}

function optionsOf(command: NativeCommand): readonly Option[] {
  const options = new Map<string, Option>();
  for (const { name, description, required, choices, suggests = null } of command.arguments) {
    const shown = shownName(name);
    if (shown === "" || options.has(shown) || options.size >= MOST_OPTIONS) continue;
    const fitting = choices.filter((choice) => choice !== "" && choice.length <= LONGEST_TEXT);
    options.set(shown, {
      shown,
      description: shorten(description.trim() || name),
      required,
      choices: fitting,
      suggests,
    });
  }
  return [...options.values()];
}

function bodyOf(shown: string, command: NativeCommand, options: readonly Option[]): Body {
  const sorted = [...options.filter(({ required }) => required), ...options.filter(({ required }) => !required)];
  const fixed = sorted.flatMap(({ choices }) => (choices.length > MOST_CHOICES ? [] : choices)).join("").length * 2;
  const words = [
    shown,
    shorten(command.description),
    ...sorted.map(({ shown: name, description }) => name + description),
  ];
  const proposed = words.join("").length + fixed > MOST_CHARACTERS;
  return {
    name: shown,
    description: shorten(command.description.trim() || command.name),
    integration_types: [ApplicationIntegrationType.GuildInstall],
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    options: sorted.map(
      ({ shown: name, description, required, choices, suggests }): APIApplicationCommandStringOption => ({
        type: ApplicationCommandOptionType.String,
        name,
        description,
        required,
        ...(suggests !== null || choices.length > MOST_CHOICES || (proposed && choices.length > 0)
          ? { autocomplete: true }
          : { choices: choices.map((choice) => ({ name: choice, value: choice })) }),
      }),
    ),
  };
}

function shownName(name: string): string {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replaceAll(/[^-_\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, LONGEST_NAME);
}

/** Cuts at a character people see as one, so that no half of one is left. */
function shorten(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (cut.length + segment.length >= LONGEST_TEXT) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

/** The suggestions for an option while a person types it, best matches first. */
export function proposals(command: KnownCommand | undefined, option: string, typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const all = command?.choices.get(option) ?? [];
  const begins = all.filter((choice) => choice.toLowerCase().startsWith(wanted));
  const holds = all.filter((choice) => !begins.includes(choice) && choice.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST_CHOICES);
}

/** What Discord takes of proposals: at most 25, names cut to 100 characters, values that fit whole or not at all. */
export function choicesOf(
  suggestions: readonly Suggestion[],
): readonly { readonly name: string; readonly value: string }[] {
  return suggestions
    .filter(({ label, value }) => label !== "" && value !== "" && value.length <= LONGEST_TEXT)
    .slice(0, MOST_CHOICES)
    .map(({ label, value }) => ({ name: shorten(label), value }));
}

/**
 * Puts the menu up at Discord as a whole, only when it differs from what was put up last for this bot (CH-6, FC-056). Rejects
 * when Discord cannot be reached or refuses the list; the old one then stays.
 */
export async function putUpMenu(parts: {
  readonly rest: REST;
  readonly applicationId: string;
  readonly host: AdapterHost;
  readonly menu: Menu;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { rest, applicationId, host, menu, signal } = parts;
  const key = `commands:${applicationId}`;
  const hash = createHash("sha256").update(JSON.stringify(menu.commands)).digest("hex");
  if ((await host.state.get(key)) === hash) return;
  for (const reason of menu.leftOut) host.log.warn({ reason }, "a command is missing from Discord's menu");
  for (;;) {
    try {
      await rest.put(Routes.applicationCommands(applicationId), { body: menu.commands, signal });
      break;
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal.kind !== "rate_limited") throw error;
      await pause(refusal.afterMs, signal);
      if (signal.aborted) throw error;
    }
  }
  await host.state.set(key, hash);
}
