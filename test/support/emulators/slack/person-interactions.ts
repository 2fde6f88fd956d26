import type { WaitOptions } from "../signals.ts";
import { checkOptions } from "./blocks.ts";
import {
  commonFields,
  type DeliverOne,
  type InteractionOutcome,
  interact,
  responseUrl,
  showAnswer,
} from "./interactions.ts";
import type { Place } from "./place.ts";
import type { AppRecord, EphemeralRecord, OptionObject, UserRecord, ViewRecord } from "./records.ts";
import type { World } from "./world.ts";

/** Something a person did that the app must take within three seconds. */
export interface Interaction {
  /** How the app took it. */
  outcome: Promise<InteractionOutcome>;
  /** The payload the app was given. */
  payload: Record<string, unknown>;
  /** Waits for the next message that only this person sees, and that came after this. */
  ephemeral: (options?: WaitOptions & { matching?: string | RegExp }) => Promise<EphemeralRecord>;
}

function fits(text: string, wanted: string | RegExp | undefined): boolean {
  return wanted === undefined || (typeof wanted === "string" ? text === wanted : wanted.test(text));
}

function begun(
  world: World,
  place: Place,
  user: UserRecord,
  what: { name: string; payload: Record<string, unknown>; outcome: Promise<InteractionOutcome> },
): Interaction {
  let from = world.nextSeq();
  return {
    outcome: what.outcome,
    payload: what.payload,
    ephemeral: async ({ matching, ...options } = {}) => {
      const found = await world.signals.until(
        () => place.conversation.ephemerals.find((e) => e.seq > from && e.userId === user.id && fits(e.text, matching)),
        { what: `a private answer to ${what.name}`, ...options },
      );
      from = found.seq;
      return found;
    },
  };
}

interface Slash {
  user: UserRecord;
  line: string;
  place: Place;
  app: AppRecord | undefined;
}

/** Sends a slash command to the app. Slack has none in threads. */
export function runSlash(world: World, deliver: DeliverOne, { user, line, place, app: named }: Slash): Interaction {
  const [command = "", ...rest] = line.split(" ");
  if (!command.startsWith("/")) throw new Error("a slash command begins with a slash");
  if (place.threadTs !== null) throw new Error(`${command} is not supported in threads`);
  const { conversation } = place;
  const app = named ?? [...world.apps.values()].find((entry) => entry.team === conversation.team);
  if (app === undefined) throw new Error("there is no app for this command");
  const where = { conversation, threadTs: null, messageTs: null };
  const payload = {
    ...commonFields(world, app, user),
    team_id: app.team.id,
    team_domain: app.team.domain,
    channel_id: conversation.id,
    channel_name: conversation.kind === "im" ? "directmessage" : conversation.name,
    user_id: user.id,
    user_name: user.name,
    command,
    text: rest.join(" "),
    is_enterprise_install: "false",
    response_url: responseUrl(world, app, user, where),
  };
  const outcome = interact(deliver, app, "slash_commands", payload).then((result) => {
    // What comes with the acknowledgement is shown like a first answer; a bare one shows nothing.
    const said = result.kind === "acknowledged" ? result.response : {};
    if (said.text !== undefined || said.blocks !== undefined) {
      showAnswer(world, { ...where, appId: app.id, userId: user.id }, said);
    }
    return result;
  });
  return begun(world, place, user, { name: line, payload, outcome });
}

interface Element {
  type?: string;
  action_id?: string;
  value?: string;
  text?: { text?: string };
  options?: { text?: { text?: string }; value?: string }[];
  [field: string]: unknown;
}

function elementsOf(block: unknown): { blockId: string; element: Element }[] {
  const {
    block_id = "",
    elements = [],
    accessory,
  } = block as {
    block_id?: string;
    elements?: Element[];
    accessory?: Element;
  };
  return [...elements, ...(accessory === undefined ? [] : [accessory])].map((element) => ({
    blockId: block_id,
    element,
  }));
}

function actionFor(blocks: readonly unknown[], button: string): Record<string, unknown> | undefined {
  for (const { blockId, element } of blocks.flatMap(elementsOf)) {
    const { type, action_id, value, text } = element;
    if (text?.text === button || value === button || action_id === button) {
      return { type, action_id, block_id: blockId, text, ...(value === undefined ? {} : { value }) };
    }
    const option = element.options?.find((entry) => entry.value === button || entry.text?.text === button);
    if (option !== undefined) return { type, action_id, block_id: blockId, selected_option: option };
  }
  return undefined;
}

interface Press {
  user: UserRecord;
  ts: string;
  button: string;
  place: Place;
}

/** A message with elements, whoever sees it; one for another person alone is not there. */
interface Pressable {
  app: AppRecord;
  text: string;
  threadTs: string | null;
  blocks: readonly unknown[];
  /** What the payload holds of it: nothing of a message that is not in the history. */
  message: Record<string, unknown>;
  offered: EphemeralRecord["offered"] | null;
}

function pressable(world: World, place: Place, user: UserRecord, ts: string): Pressable {
  const only = place.conversation.ephemerals.find((one) => one.ts === ts);
  if (only !== undefined) {
    if (only.userId !== user.id) throw new Error(`only ${only.userId} sees "${only.text}"`);
    const { text, threadTs, blocks, offered } = only;
    return { app: world.appById(only.appId), text, threadTs, blocks, message: {}, offered };
  }
  const { message, appId } = place.stored(ts);
  if (appId === null) throw new Error("only an app's message has buttons");
  const { text, thread_ts: threadTs = null, blocks = [] } = message;
  return {
    app: world.appById(appId),
    text,
    threadTs,
    blocks,
    message: { message: structuredClone(message) },
    offered: null,
  };
}

/** Fields every payload about an element of a message has. */
function elementFields(world: World, { user, ts, place }: Press, shown: Pressable): Record<string, unknown> {
  const { app, threadTs } = shown;
  const { conversation } = place;
  const thread = threadTs === null ? {} : { thread_ts: threadTs };
  return {
    ...commonFields(world, app, user),
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team.id },
    container: {
      type: "message",
      message_ts: ts,
      channel_id: conversation.id,
      is_ephemeral: shown.offered !== null,
      ...thread,
    },
    team: { id: app.team.id, domain: app.team.domain },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: conversation.id, name: conversation.kind === "im" ? "directmessage" : conversation.name },
    ...shown.message,
  };
}

/** The options an app proposes for a select while a person types into it; refused when the platform would not show them. */
export async function searchOptions(
  world: World,
  deliver: DeliverOne,
  asking: Press & { typed: string },
): Promise<OptionObject[]> {
  const { user, ts, button, place, typed } = asking;
  const shown = pressable(world, place, user, ts);
  const action = actionFor(shown.blocks, button);
  if (action?.type !== "external_select") throw new Error(`no select "${button}" with proposals under "${shown.text}"`);
  const { trigger_id: _, ...fields } = elementFields(world, asking, shown);
  const { action_id, block_id } = action;
  const payload = { type: "block_suggestion", ...fields, action_id, block_id, value: typed };
  const outcome = await interact(deliver, shown.app, "interactive", payload);
  if (outcome.kind !== "acknowledged") throw new Error(`the select could not be loaded: ${outcome.kind}`);
  const options = outcome.response.options as OptionObject[];
  if (!Array.isArray(options)) throw new Error("the app proposed no options");
  checkOptions(options, "/options");
  shown.offered?.set(String(action_id), new Map(options.map((option) => [option.value, option])));
  return options;
}

/** Sends `block_actions` for an element of a message; of a select with proposals, for one that was proposed. */
export function pressButton(world: World, deliver: DeliverOne, press: Press): Interaction {
  const { user, ts, button, place } = press;
  const shown = pressable(world, place, user, ts);
  const { app, threadTs } = shown;
  const action = actionFor(shown.blocks, button) ?? proposed(shown, button);
  if (action === undefined) throw new Error(`no button "${button}" under "${shown.text}"`);
  const { conversation } = place;
  const where = { conversation, threadTs, messageTs: ts };
  const payload = {
    type: "block_actions",
    ...elementFields(world, press, shown),
    state: { values: {} },
    response_url: responseUrl(world, app, user, where),
    actions: [{ ...action, action_ts: world.nextTs() }],
  };
  const outcome = interact(deliver, app, "interactive", payload);
  return begun(world, place, user, { name: button, payload, outcome });
}

function proposed({ blocks, offered }: Pressable, value: string): Record<string, unknown> | undefined {
  for (const [actionId, options] of offered ?? []) {
    const option = options.get(value);
    const action = option === undefined ? undefined : actionFor(blocks, actionId);
    if (action !== undefined) return { ...action, selected_option: option };
  }
  return undefined;
}

/** An open view. */
export interface SeenView {
  record: ViewRecord;
  /** Sends the view with these values: `{block: {action: value}}`. The app's answer may hold a `response_action`. */
  submits: (values?: Record<string, Record<string, unknown>>) => Promise<InteractionOutcome>;
}

/** Waits for the next view of a person that was not returned yet. */
export async function viewFor(
  world: World,
  deliver: DeliverOne,
  user: UserRecord,
  options: WaitOptions,
): Promise<SeenView> {
  const record = await world.signals.until(() => world.views.find((view) => view.userId === user.id), {
    what: `a view for ${user.name}`,
    ...options,
  });
  world.views.splice(world.views.indexOf(record), 1);
  const app = world.appById(record.appId);
  return {
    record,
    submits: (values = {}) =>
      interact(deliver, app, "interactive", {
        type: "view_submission",
        ...commonFields(world, app, user),
        team: { id: app.team.id, domain: app.team.domain },
        user: { id: user.id, username: user.name, name: user.name, team_id: user.team.id },
        view: { ...record.view, state: { values } },
        response_urls: [],
        is_enterprise_install: false,
        enterprise: null,
      }),
  };
}
