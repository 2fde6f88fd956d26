import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import { pickerTexts } from "../../../src/core/texts/platforms/examples.ts";
import { pause, systemTimers } from "../../../src/core/time.ts";
import type { BotFacts } from "../address.ts";
import { readBlockActions, readBlockSuggestion, type SlashCall } from "../inbound/event-shape.ts";
import {
  asksFor,
  optionsOf,
  type PickerOption,
  type PickState,
  pickedPlaceText,
  pickerMessage,
  readBlockId,
} from "./picker.ts";
import { respond } from "./private-answer.ts";

/** Slack's 3 s, less the way there and back. */
const SUGGEST_MS = 2_000;

/** A command that was picked: as if it had been written so, in that thread. */
export interface PickedCall {
  readonly call: SlashCall;
  readonly threadTs: string | null;
}

export interface Picking {
  /** Shows the picker to who wrote `/switchyard` alone. False: the call is a command by itself. */
  open(call: SlashCall): Promise<boolean>;
  /** One choice. A command when it is complete; null: the picker continues, or the choice belongs to no picker. */
  choose(body: unknown): Promise<PickedCall | null>;
  /** The command was taken: the picker is over and says so. */
  close(picked: PickedCall): Promise<void>;
  /** Suggestions while a person searches, within what they may see (CM-12); none if nothing was found in 2 s. Never rejects. */
  options(body: unknown): Promise<readonly PickerOption[]>;
}

/** Slack has no commands in threads, so `/switchyard` in a channel lets one pick among its live threads (CM-2). */
export function createPicking(parts: {
  readonly host: Pick<AdapterHost, "suggest" | "log">;
  readonly bot: BotFacts;
  readonly commands: () => readonly NativeCommand[];
  /** The command as an event, with all that must be looked up for it. */
  readonly eventOf: (picked: PickedCall) => Promise<InboundEvent>;
}): Picking {
  const { host, bot, commands, eventOf } = parts;

  /** Nothing depends on it: who sees no picker writes the command. */
  async function show(url: string, message: object): Promise<void> {
    const outcome = await respond(url, message);
    if (outcome?.outcome !== "sent")
      host.log.debug({ outcome: outcome?.outcome ?? "refused" }, "a picker was not shown");
  }

  const messageFor = (state: PickState, channel: string): object =>
    pickerMessage({ state, commands: commands(), bot, channel });

  async function find(body: unknown): Promise<readonly PickerOption[]> {
    const asked = readBlockSuggestion(body);
    const state = readBlockId(asked.block_id);
    if (state === null || state.asker !== asked.user.id || asked.channel === undefined) return [];
    const command = commands().find(({ name }) => name === state.command);
    const kind =
      asked.action_id === "where" ? "thread" : command === undefined ? undefined : asksFor(command)?.suggests;
    if (kind === undefined) return [];
    const channel = { id: asked.channel.id, name: asked.channel.name };
    const call = callOf({ user: asked.user, channel, triggerId: "-", text: state.command ?? "status" });
    const event = await eventOf({ call, threadTs: kind === "thread" ? null : state.threadTs });
    return optionsOf(await host.suggest({ event, kind, typed: asked.value }));
  }

  return {
    async open(call) {
      const { response_url: url, user_id: asker, channel_id: channel } = call;
      const isAsked = call.command.toLowerCase() === "/switchyard" && call.text.trim() === "";
      if (!isAsked || url === undefined || commands().length === 0) return false;
      await show(url, { response_type: "ephemeral", ...messageFor({ asker, threadTs: null, command: null }, channel) });
      return true;
    },

    async choose(body) {
      const { user, channel, actions, trigger_id: triggerId, response_url: url } = readBlockActions(body);
      const [action] = actions;
      const state = action === undefined ? null : readBlockId(action.block_id);
      if (action === undefined || state === null || channel === undefined || url === undefined) return null;
      if (state.asker !== user.id) {
        host.log.debug({ user: user.id }, "another person's picker was used");
        return null;
      }
      const value = action.selected_option?.value ?? null;
      const next = (over: Partial<PickState>): Promise<void> =>
        show(url, { replace_original: true, ...messageFor({ ...state, ...over }, channel.id) });
      const picked = (text: string): PickedCall => ({
        call: callOf({ user, channel, triggerId, text, url }),
        threadTs: state.threadTs,
      });
      if (action.action_id === "without") return state.command === null ? null : picked(state.command);
      if (value === null) return null;
      if (action.action_id === "with") return state.command === null ? null : picked(`${state.command} ${word(value)}`);
      if (action.action_id === "where") await next({ threadTs: value, command: null });
      else if (action.action_id === "what") {
        const command = commands().find(({ name }) => name === value);
        if (command === undefined || asksFor(command) === null) return picked(value);
        await next({ command: value });
      }
      return null;
    },

    async close({ call, threadTs }) {
      if (call.response_url === undefined) return;
      const text = pickerTexts.chosen(call.text, pickedPlaceText({ bot, channel: call.channel_id }, threadTs));
      await show(call.response_url, { replace_original: true, text, blocks: [] });
    },

    async options(body) {
      const patience = new AbortController();
      try {
        return await Promise.race([find(body), pause(SUGGEST_MS, patience.signal, systemTimers).then(() => [])]);
      } catch (error) {
        host.log.warn({ err: error }, "nothing could be proposed");
        return [];
      } finally {
        patience.abort();
      }
    },
  };
}

function callOf(given: {
  readonly user: { readonly id: string; readonly name?: string | undefined };
  readonly channel: { readonly id: string; readonly name?: string | undefined };
  readonly triggerId: string;
  readonly text: string;
  readonly url?: string;
}): SlashCall {
  const { user, channel, triggerId, text, url } = given;
  return {
    command: "/switchyard",
    text,
    user_id: user.id,
    channel_id: channel.id,
    trigger_id: triggerId,
    ...(user.name === undefined ? {} : { user_name: user.name }),
    ...(channel.name === undefined ? {} : { channel_name: channel.name }),
    ...(url === undefined ? {} : { response_url: url }),
  };
}

/** Words that belong together are quoted. */
function word(value: string): string {
  return /\s/.test(value) && !value.includes('"') ? `"${value}"` : value;
}
