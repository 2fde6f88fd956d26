import type { REST } from "discord.js";
import { InteractionResponseType, MessageFlags, Routes } from "discord-api-types/v10";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Suggestion } from "../../../src/channel/capabilities.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { pause, systemTimers } from "../../../src/core/waiting.ts";
import { readRefusal } from "../errors.ts";
import { type DiscordInteraction, shapes } from "../inbound/event-shape.ts";
import type { DiscordIntake } from "../inbound/intake.ts";
import { interactionIdOf } from "./answers.ts";
import { choicesOf, type KnownCommand, proposals } from "./commands.ts";
import { type Asked, readAsked, readCommand } from "./interactions.ts";

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
 * Handles one interaction: the first thing awaited is its acknowledgement (CM-3, FC-060), whatever the store or anything else
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
  if (channelId === undefined) return;
  const own = { ...asked, name: known?.name ?? asked.name };
  intake.inOrder(channelId, async () => {
    const { token: _, ...raw } = interaction;
    await intake.take({
      channelId,
      id,
      raw,
      read: (reading) => readCommand(interaction, own, { reading, interactionId }),
    });
  });
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
