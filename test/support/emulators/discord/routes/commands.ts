import { checkCommand, checkCommands } from "../command-rules.ts";
import { forbidden, missingAccess, notFound } from "../refusal.ts";
import type { APIApplicationCommand } from "../wire-types.ts";
import { guildFor, idIn } from "./destination.ts";
import type { BotContext, BotHandlers, CommandBody } from "./handler.ts";

/** The scope a path names: `global`, or a guild's id. Another application's commands are nobody else's. */
function scopeOf(context: BotContext): string {
  if (idIn(context, "application_id") !== context.bot.user.id) {
    throw forbidden(20012, "You are not authorized to perform this action on this application");
  }
  if (context.path.guild_id === undefined) return "global";
  const guild = context.world.guilds.get(idIn(context, "guild_id"));
  if (guild === undefined) throw missingAccess();
  return guildFor(context).id;
}

function listOf(context: BotContext): APIApplicationCommand[] {
  return context.bot.commands.get(scopeOf(context)) ?? [];
}

function setList(context: BotContext, commands: APIApplicationCommand[]): void {
  context.bot.commands.set(scopeOf(context), commands);
  context.world.signals.changed();
}

function made(context: BotContext, body: CommandBody, id = context.world.nextId()): APIApplicationCommand {
  const scope = scopeOf(context);
  const permissions = body.default_member_permissions ?? null;
  const command = {
    type: 1,
    description: "",
    name_localizations: null,
    description_localizations: null,
    dm_permission: true,
    contexts: null,
    integration_types: [0],
    nsfw: false,
    ...body,
    default_member_permissions: permissions === null ? null : String(permissions),
    id,
    application_id: context.bot.user.id,
    version: context.world.nextId(),
    ...(scope === "global" ? {} : { guild_id: scope }),
  };
  return command as APIApplicationCommand;
}

function sameAs(body: CommandBody) {
  return (known: APIApplicationCommand): boolean => known.name === body.name && known.type === (body.type ?? 1);
}

function create(context: BotContext, body: CommandBody): APIApplicationCommand {
  checkCommand(body);
  const list = listOf(context);
  const old = list.find(sameAs(body));
  const command = made(context, body, old?.id);
  const next = old === undefined ? [...list, command] : list.map((known) => (known === old ? command : known));
  checkCommands(next);
  setList(context, next);
  return command;
}

function overwrite(context: BotContext, bodies: CommandBody[]): APIApplicationCommand[] {
  checkCommands(bodies);
  const before = listOf(context);
  setList(
    context,
    bodies.map((body) => made(context, body, before.find(sameAs(body))?.id)),
  );
  return listOf(context);
}

function one(context: BotContext): APIApplicationCommand {
  const id = idIn(context, "command_id");
  const command = listOf(context).find((known) => known.id === id);
  if (command === undefined) throw notFound(10063, "Unknown application command");
  return command;
}

function update(context: BotContext, body: Partial<CommandBody>): APIApplicationCommand {
  const old = one(context);
  const command = made(context, { ...old, ...body }, old.id);
  checkCommand(command);
  setList(
    context,
    listOf(context).map((known) => (known === old ? command : known)),
  );
  return command;
}

function remove(context: BotContext): undefined {
  const old = one(context);
  setList(
    context,
    listOf(context).filter((known) => known !== old),
  );
  return undefined;
}

export const commandRoutes: BotHandlers<
  | "list_application_commands"
  | "create_application_command"
  | "bulk_set_application_commands"
  | "get_application_command"
  | "update_application_command"
  | "delete_application_command"
  | "list_guild_application_commands"
  | "create_guild_application_command"
  | "bulk_set_guild_application_commands"
  | "get_guild_application_command"
  | "update_guild_application_command"
  | "delete_guild_application_command"
> = {
  list_application_commands: listOf,
  create_application_command: create,
  bulk_set_application_commands: overwrite,
  get_application_command: one,
  update_application_command: update,
  delete_application_command: remove,
  list_guild_application_commands: listOf,
  create_guild_application_command: create,
  bulk_set_guild_application_commands: overwrite,
  get_guild_application_command: one,
  update_guild_application_command: update,
  delete_guild_application_command: remove,
};
