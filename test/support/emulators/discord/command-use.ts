import type { Speaker } from "./conversation.ts";
import { PERMISSIONS } from "./permissions.ts";
import type { BotRecord, ChannelRecord } from "./records.ts";
import { channelShape, partialMemberShape, roleShape } from "./shapes.ts";
import type { APIApplicationCommand } from "./wire-types.ts";
import type { World } from "./world.ts";

export type OptionValue = string | number | boolean | Speaker | { id: string };

export interface UseOptions {
  /** Values by option name: people, channels and roles as they are. */
  options?: Record<string, OptionValue>;
  /** Whose command it is, when several bots have one of this name. */
  bot?: Speaker;
}

/** An option's definition as far as using it needs. */
interface Definition {
  type: number;
  name: string;
  required?: boolean;
  autocomplete?: boolean;
  choices?: { name: string; value: string | number }[];
  options?: Definition[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

interface GivenOption {
  type: number;
  name: string;
  value?: string | number | boolean;
  focused?: true;
  options?: GivenOption[];
}

const SUBCOMMAND = 1;
const GROUP = 2;
const STRING = 3;
const USER = 6;

interface Found {
  bot: BotRecord;
  command: APIApplicationCommand;
}

function commandsHere(bot: BotRecord, channel: ChannelRecord): APIApplicationCommand[] {
  const global = (bot.commands.get("global") ?? []).filter((command) =>
    channel.guildId === null
      ? (command.contexts?.includes(1) ?? command.dm_permission !== false)
      : (command.contexts?.includes(0) ?? true),
  );
  const own = channel.guildId === null ? [] : (bot.commands.get(channel.guildId) ?? []);
  return [...own, ...global];
}

function botsHere(world: World, channel: ChannelRecord): BotRecord[] {
  const guild = world.guildOf(channel);
  return [...world.bots.values()].filter((bot) =>
    guild === null ? channel.dm?.botId === bot.user.id : guild.members.has(bot.user.id),
  );
}

function find(world: World, channel: ChannelRecord, user: Speaker, name: string, by: Speaker | undefined): Found {
  const bots = botsHere(world, channel).filter((bot) => by === undefined || bot.user.id === by.user.id);
  for (const bot of bots) {
    const command = commandsHere(bot, channel).find((known) => known.name === name && known.type === 1);
    if (command === undefined) continue;
    const needed = BigInt(command.default_member_permissions ?? "0");
    const has = world.permissions(channel, user.user.id);
    const allowed = (has & PERMISSIONS.UseApplicationCommands) !== 0n && (has & needed) === needed;
    if (!allowed) throw new Error(`${user.user.username} may not use /${name} here`);
    return { bot, command };
  }
  throw new Error(`no bot here has a command /${name}`);
}

function plain(value: OptionValue): string | number | boolean {
  if (typeof value !== "object") return value;
  return "user" in value ? value.user.id : value.id;
}

function checkValue(definition: Definition, value: string | number | boolean): void {
  const { name, choices, type } = definition;
  const wrong = (why: string): never => {
    throw new Error(`the client does not take ${JSON.stringify(value)} for "${name}": ${why}`);
  };
  if (choices !== undefined && choices.length > 0 && !choices.some((choice) => choice.value === value)) {
    wrong("it is none of the choices");
  }
  if (type === 4 && !Number.isInteger(value)) wrong("it is no integer");
  if (type === 5 && typeof value !== "boolean") wrong("it is neither true nor false");
  if (type === STRING && typeof value !== "string") wrong("it is no text");
  if (typeof value === "number") {
    if (value < (definition.min_value ?? value) || value > (definition.max_value ?? value)) wrong("out of range");
  }
  if (typeof value === "string" && type === STRING) {
    if (value.length < (definition.min_length ?? 0)) wrong("too short");
    if (value.length > (definition.max_length ?? 6000)) wrong("too long");
  }
}

function given(
  definitions: readonly Definition[],
  values: Record<string, OptionValue>,
  focused: string | null,
): GivenOption[] {
  const unknown = Object.keys(values).find((name) => !definitions.some((d) => d.name === name));
  if (unknown !== undefined) throw new Error(`the command has no option "${unknown}"`);
  return definitions.flatMap((definition) => {
    const { name, type } = definition;
    const value = values[name];
    if (value === undefined) {
      // While somebody still writes, required options may be missing.
      if (definition.required === true && focused === null) throw new Error(`option "${name}" is required`);
      return [];
    }
    if (name === focused) {
      if (definition.autocomplete !== true) throw new Error(`option "${name}" has no autocomplete`);
      return [{ name, type, value: plain(value), focused: true as const }];
    }
    checkValue(definition, plain(value));
    return [{ name, type, value: plain(value) }];
  });
}

/** Walks down subcommands: `/agents list` gives the options of `list`, wrapped as they travel. */
function wrapped(
  definitions: readonly Definition[],
  path: readonly string[],
  fill: (definitions: readonly Definition[]) => GivenOption[],
): GivenOption[] {
  const [next, ...rest] = path;
  if (next === undefined) {
    if (definitions.some((d) => d.type === SUBCOMMAND || d.type === GROUP)) throw new Error("name a subcommand");
    return fill(definitions);
  }
  const sub = definitions.find((d) => d.name === next && (d.type === SUBCOMMAND || d.type === GROUP));
  if (sub === undefined) throw new Error(`there is no subcommand ${next}`);
  return [{ name: sub.name, type: sub.type, options: wrapped(sub.options ?? [], rest, fill) }];
}

function flat(options: readonly GivenOption[]): GivenOption[] {
  return options.flatMap((option) => [option, ...flat(option.options ?? [])]);
}

/** The people, channels and roles that are named, as objects beside the options. */
function resolved(world: World, channel: ChannelRecord, options: readonly GivenOption[]): Record<string, unknown> {
  const guild = world.guildOf(channel);
  const of = (...types: number[]): string[] =>
    flat(options).flatMap((option) => (types.includes(option.type) ? [String(option.value)] : []));
  const entries = <T>(ids: string[], look: (id: string) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      ids.flatMap((id) => {
        const value = look(id);
        return value === undefined ? [] : [[id, value]];
      }),
    );
  const users = entries(of(USER, 9), (id) => world.users.get(id));
  const members = entries(of(USER, 9), (id) => {
    const member = guild?.members.get(id);
    return member === undefined ? undefined : { ...partialMemberShape(member), permissions: "0" };
  });
  const channels = entries(of(7), (id) => {
    const named = world.channels.get(id);
    return named === undefined ? undefined : { ...channelShape(named), permissions: "0" };
  });
  const roles = entries(of(8, 9), (id) => {
    const role = guild?.roles.get(id);
    return role === undefined ? undefined : roleShape(role);
  });
  const kinds = { users, members, channels, roles };
  const filled = Object.entries(kinds).filter(([, found]) => Object.keys(found).length > 0);
  return filled.length === 0 ? {} : { resolved: Object.fromEntries(filled) };
}

/** What travels when somebody uses `/name sub` here, or (with `focused`) is still writing that option. */
export function commandData(
  world: World,
  place: { channel: ChannelRecord; speaker: Speaker },
  text: string,
  use: UseOptions & { focused: string | null },
): { bot: BotRecord; data: Record<string, unknown> } {
  const [name = "", ...path] = text.replace(/^\//, "").split(/\s+/);
  const { bot, command } = find(world, place.channel, place.speaker, name, use.bot);
  // The published type is a union by option type; using a command needs what these have in common.
  const definitions = (command.options ?? []) as unknown as Definition[];
  const options = wrapped(definitions, path, (leaf) => given(leaf, use.options ?? {}, use.focused));
  const data = {
    id: command.id,
    name: command.name,
    type: 1,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    ...(options.length === 0 ? {} : { options }),
    ...resolved(world, place.channel, options),
  };
  return { bot, data };
}
