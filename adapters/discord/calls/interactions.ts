import type { REST } from "discord.js";
import {
  ApplicationCommandOptionType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  Routes,
} from "discord-api-types/v10";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Suggestion } from "../../../src/channel/capabilities.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { ignoredEvent } from "../../../src/core/texts/rules.ts";
import { pause, systemTimers } from "../../../src/core/time.ts";
import { bornAt, senderOf } from "../address.ts";
import { readRefusal } from "../errors.ts";
import { type DiscordInteraction, shapes } from "../inbound/content.ts";
import type { DiscordFact, Reading } from "../inbound/fact.ts";
import { identityOf, withoutWords } from "../inbound/inbound.ts";
import type { DiscordIntake } from "../inbound/intake.ts";
import { interactionIdOf } from "./answers.ts";
import { choicesOf, type KnownCommand, proposals } from "./commands.ts";

const COMMAND_DATA = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/i;

interface Option {
  readonly name: string;
  readonly type: number;
  readonly value?: unknown;
  readonly focused?: boolean;
  readonly options?: readonly Option[];
}

/** What is asked for by an interaction. */
export type Asked =
  | { readonly kind: "command"; readonly name: string; readonly args: string }
  | { readonly kind: "autocomplete"; readonly command: string; readonly option: string; readonly typed: string }
  | { readonly kind: "other" };

/** The options of a command in the order of its definition; those may be given in any (CM-1). */
export function readAsked(interaction: DiscordInteraction, order: (command: string) => readonly string[]): Asked {
  const { data, type } = interaction;
  if (type === InteractionType.MessageComponent) {
    const [, name, args = ""] = COMMAND_DATA.exec(data?.custom_id ?? "") ?? [];
    return name === undefined ? { kind: "other" } : { kind: "command", name, args };
  }
  const name = data?.name;
  if (name === undefined) return { kind: "other" };
  const options = (data?.options ?? []) as readonly Option[];
  if (type === InteractionType.ApplicationCommandAutocomplete) {
    const focused = flat(options).find((option) => option.focused === true);
    if (focused === undefined) return { kind: "other" };
    return { kind: "autocomplete", command: name, option: focused.name, typed: String(focused.value ?? "") };
  }
  if (type !== InteractionType.ApplicationCommand) return { kind: "other" };
  return { kind: "command", name, args: argumentsText(options, order(name)) };
}

function argumentsText(options: readonly Option[], order: readonly string[]): string {
  const place = ({ name }: Option): number => {
    const index = order.indexOf(name);
    return index < 0 ? order.length : index;
  };
  const given = flat(options)
    .filter(({ value }) => value !== undefined)
    .sort((a, b) => place(a) - place(b));
  const last = order.at(-1);
  return given.map((option) => word(option, option.name === last)).join(" ");
}

/** Words that belong together are quoted, except in the last argument, which takes what is left. */
function word({ value }: Option, isLast: boolean): string {
  const text = String(value);
  return !isLast && /\s/.test(text) && !text.includes('"') ? `"${text}"` : text;
}

function flat(options: readonly Option[]): readonly Option[] {
  return options.flatMap((option) => {
    const isGroup =
      option.type === ApplicationCommandOptionType.Subcommand ||
      option.type === ApplicationCommandOptionType.SubcommandGroup;
    return isGroup ? [{ ...option, value: option.name }, ...flat(option.options ?? [])] : [option];
  });
}

/**
 * A native command call. `interactionId` is how its answer finds the deferred reply; null when deferring
 * failed, so that the answer goes into the channel (FC-060).
 */
export function readCommand(
  interaction: DiscordInteraction,
  asked: Extract<Asked, { kind: "command" }>,
  { reading, interactionId }: { readonly reading: Reading; readonly interactionId: string | null },
): DiscordFact {
  const { member } = interaction;
  const user = member?.user ?? interaction.user;
  if (user === undefined) return { kind: "nothing", why: ignoredEvent.noSender };
  const { place, accountId, bot } = reading;
  const sender = senderOf(
    { ...user, global_name: (user as { global_name?: string | null }).global_name ?? null },
    { member, bot },
  );
  const base = withoutWords(place, accountId);
  const event: InboundEvent = {
    ...base,
    identity: identityOf(reading, interaction.id, { kind: "command", version: "0" }),
    kind: "command",
    peer: place.kind === "direct" ? { kind: "direct", id: sender.id, label: sender.name } : base.peer,
    sender,
    mentions: { bot: true, replyToBot: false, otherOnly: false },
    text: `/${asked.name}${asked.args === "" ? "" : ` ${asked.args}`}`,
    command: { name: asked.name, args: asked.args, ...(interactionId === null ? {} : { interactionId }) },
    sentAt: bornAt(interaction.id),
    link: null,
  };
  return { kind: "event", event };
}

/** Discord's 3 s, less the way there and back. */
const SUGGEST_MS = 2_000;

export interface NativeCallParts {
  readonly rest: REST;
  readonly intake: DiscordIntake;
  readonly host: Pick<AdapterHost, "suggest">;
  readonly log: Logger;
  /** The commands of the menu by the names Discord shows. */
  readonly commands: () => ReadonlyMap<string, KnownCommand>;
}

/**
 * Handles one interaction: the first thing awaited is its acknowledgement (CM-3, FC-060), before the store or anything else
 * is doing; then the call is taken in like any event. Never rejects.
 */
export async function handleInteraction(data: unknown, parts: NativeCallParts): Promise<void> {
  const { log, commands } = parts;
  try {
    const interaction = shapes.interaction(data);
    const asked = readAsked(interaction, (name) => commands().get(name)?.order ?? []);
    switch (asked.kind) {
      case "command":
        await call(parts, interaction, asked);
        break;
      case "autocomplete": {
        const choices = choicesOf(await suggested(parts, interaction, asked));
        await respond(parts.rest, interaction, {
          type: InteractionResponseType.ApplicationCommandAutocompleteResult,
          data: { choices },
        });
        break;
      }
      case "other":
        await respond(parts.rest, interaction, { type: InteractionResponseType.DeferredMessageUpdate });
        break;
    }
  } catch (error) {
    log.warn({ reason: readRefusal(error).reason }, "an interaction could not be handled");
  }
}

/** Discord waits 3 s and then shows an error; no proposals in time are none. */
async function suggested(
  { intake, host, log, commands }: NativeCallParts,
  interaction: DiscordInteraction,
  asked: Extract<Asked, { kind: "autocomplete" }>,
): Promise<readonly Suggestion[]> {
  const known = commands().get(asked.command);
  const kind = known?.suggests.get(asked.option);
  const { channel_id: channelId } = interaction;
  if (known === undefined || kind === undefined) {
    return proposals(known, asked.option, asked.typed).map((choice) => ({ label: choice, value: choice }));
  }
  if (channelId === undefined) return [];
  const find = async (): Promise<readonly Suggestion[]> => {
    const reading = await intake.reading(channelId);
    if (reading === null) return [];
    const own = { kind: "command", name: known.name, args: "" } as const;
    const fact = readCommand(interaction, own, { reading, interactionId: null });
    return fact.kind === "event" ? await host.suggest({ event: fact.event, kind, typed: asked.typed }) : [];
  };
  const patience = new AbortController();
  try {
    return await Promise.race([find(), pause(SUGGEST_MS, patience.signal, systemTimers).then(() => [])]);
  } catch (error) {
    log.warn({ err: error, command: known.name }, "nothing could be proposed");
    return [];
  } finally {
    patience.abort();
  }
}

async function call(
  { rest, intake, log, commands }: NativeCallParts,
  interaction: DiscordInteraction,
  asked: Extract<Asked, { kind: "command" }>,
): Promise<void> {
  const known = commands().get(asked.name);
  const ephemeral = known?.restricted === true;
  const interactionId = await defer({ rest, log }, interaction, ephemeral);
  const { channel_id: channelId, id } = interaction;
  const nobodyTook = async (): Promise<void> => {
    log.info({ command: asked.name, channel: channelId ?? null }, "a native call from a channel the bot cannot see");
    if (interactionId !== null) await refuseInPlace(rest, interaction);
  };
  if (channelId === undefined) return await nobodyTook();
  const own = { ...asked, name: known?.name ?? asked.name };
  intake.inOrder(channelId, async () => {
    const { token: _, ...raw } = interaction;
    const taken = await intake.take({
      channelId,
      id,
      raw,
      read: (reading) => readCommand(interaction, own, { reading, interactionId }),
    });
    if (taken === null) await nobodyTook();
  });
}

/** FC-330: the deferred reply of a call that starts nothing must not go on "thinking". */
async function refuseInPlace(rest: REST, { application_id: applicationId, token }: DiscordInteraction): Promise<void> {
  const body = { content: notices.commandRefused };
  await rest.patch(Routes.webhookMessage(applicationId, token, "@original"), { auth: false, body });
}

/** null: Discord did not take it, so the answer goes into the channel. */
async function defer(
  { rest, log }: Pick<NativeCallParts, "rest" | "log">,
  interaction: DiscordInteraction,
  ephemeral: boolean,
): Promise<string | null> {
  try {
    await respond(rest, interaction, {
      type: InteractionResponseType.DeferredChannelMessageWithSource,
      ...(ephemeral ? { data: { flags: MessageFlags.Ephemeral } } : {}),
    });
  } catch (error) {
    log.warn(
      { reason: readRefusal(error).reason },
      "a native call could not be acknowledged; it is answered in the channel",
    );
    return null;
  }
  const userId = (interaction.member?.user ?? interaction.user)?.id;
  if (userId === undefined) return null;
  const { id, application_id: applicationId, token } = interaction;
  return interactionIdOf({ id, userId, applicationId, ephemeral, token });
}

async function respond(rest: REST, { id, token }: DiscordInteraction, body: object): Promise<void> {
  await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
}
