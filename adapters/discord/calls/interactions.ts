import { ApplicationCommandOptionType, InteractionType } from "discord-api-types/v10";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import { bornAt, senderOf } from "../address.ts";
import type { DiscordInteraction } from "../inbound/event-shape.ts";
import { type DiscordFact, identityOf, type Reading, withoutWords } from "../inbound/inbound.ts";

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
 * A command somebody has called natively. `interactionId` is how its answer finds the deferred reply; null when deferring
 * failed, so that the answer goes into the channel (FC-060).
 */
export function readCommand(
  interaction: DiscordInteraction,
  asked: Extract<Asked, { kind: "command" }>,
  { reading, interactionId }: { readonly reading: Reading; readonly interactionId: string | null },
): DiscordFact {
  const { member } = interaction;
  const user = member?.user ?? interaction.user;
  if (user === undefined) return { kind: "nothing", why: "an interaction of nobody" };
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
