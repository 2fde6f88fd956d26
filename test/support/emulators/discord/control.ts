import { z } from "zod";
import type { OptionValue, UseOptions } from "./command-use.ts";
import { botOf, channelOf, conversation, guildOf, placeArgs, speaker, threadOf } from "./control-places.ts";
import type { Conversation, SaysOptions } from "./conversation.ts";
import type { DiscordEmulator } from "./emulator.ts";
import type { FaultKind, FaultScope } from "./faults.ts";
import type { GatewayBreak } from "./gateway/breaks.ts";
import { closedLoop, latencies, load } from "./load.ts";
import { isRouteName } from "./route-table.ts";
import type { UsedInteraction } from "./used-interaction.ts";

interface Operation<Args, Result> {
  args: z.ZodType<Args>;
  run: (dc: DiscordEmulator, args: Args) => Result | Promise<Result>;
}

function operation<Args, Result>(
  args: z.ZodType<Args>,
  run: (dc: DiscordEmulator, args: Args) => Result | Promise<Result>,
): Operation<Args, Result> {
  return { args, run };
}

const fileArgs = z.object({ name: z.string(), base64: z.string(), mimeType: z.string().optional() });

const saysArgs = z.object({
  place: placeArgs,
  text: z.string(),
  mention: z.string().optional(),
  replyTo: z.string().optional(),
  pings: z.boolean().optional(),
  files: z.array(fileArgs).optional(),
});

function saysOptions(dc: DiscordEmulator, at: Conversation, args: z.infer<typeof saysArgs>): SaysOptions {
  const files = (args.files ?? []).map(({ name, base64, mimeType }) => ({
    name,
    bytes: Buffer.from(base64, "base64"),
    ...(mimeType === undefined ? {} : { mimeType }),
  }));
  return {
    files,
    ...(args.mention === undefined ? {} : { mention: speaker(dc, args.mention) }),
    ...(args.replyTo === undefined ? {} : { replyTo: at.stored(args.replyTo).message }),
    ...(args.pings === undefined ? {} : { pings: args.pings }),
  };
}

const useArgs = z.object({
  place: placeArgs,
  command: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

function useOptions(options: Record<string, OptionValue> | undefined): UseOptions {
  return options === undefined ? {} : { options };
}

async function answerOf(used: UsedInteraction, within: number | undefined) {
  const answer = await used.answer(within === undefined ? {} : { within });
  return { id: used.id, state: used.state, answer };
}

const onMessage = z.object({ place: placeArgs, message: z.string() });
const threadArgs = z.object({ thread: z.string() });
const within = z.number().optional();

// Faults are written by the same code that switches them on in-process; the unions are checked there by their `kind`.
function isKinded(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value;
}

/** What a parent process can ask of an emulator that runs in its own process. */
export const OPERATIONS = {
  bot: operation(
    z.object({ username: z.string(), token: z.string().optional(), messageContent: z.boolean().optional() }),
    (dc, { username, token, messageContent = false }) => {
      const made = dc.bot({ username, messageContent, ...(token === undefined ? {} : { token }) });
      return { id: made.id, token: made.token, username: made.username };
    },
  ),
  user: operation(z.object({ name: z.string(), username: z.string().optional() }), (dc, { name, username }) => ({
    id: dc.user({ name, ...(username === undefined ? {} : { username }) }).id,
  })),
  guild: operation(z.object({ name: z.string(), members: z.array(z.string()) }), (dc, { name, members }) => ({
    guild: dc.guild({ name, members: members.map((id) => speaker(dc, id)) }).id,
  })),
  text: operation(z.object({ guild: z.string(), name: z.string() }), (dc, { guild, name }) => ({
    channel: guildOf(dc, guild).text(name).id,
  })),
  forum: operation(z.object({ guild: z.string(), name: z.string() }), (dc, { guild, name }) => ({
    channel: guildOf(dc, guild).forum(name).id,
  })),
  thread: operation(
    z.object({ channel: z.string(), name: z.string(), from: z.string().optional() }),
    (dc, { channel, name, from }) => {
      const at = channelOf(dc, channel);
      return { thread: at.thread(name, from === undefined ? {} : { from: at.stored(from).message }).id };
    },
  ),
  dm: operation(z.object({ bot: z.string(), user: z.string() }), (dc, place) => ({
    channel: conversation(dc, place).id,
  })),
  archives: operation(threadArgs, (dc, { thread }) => {
    threadOf(dc, thread).archives();
    return {};
  }),
  locks: operation(threadArgs, (dc, { thread }) => {
    threadOf(dc, thread).locks();
    return {};
  }),
  deletesChannel: operation(z.object({ channel: z.string() }), (dc, { channel }) => {
    channelOf(dc, channel).deletes();
    return {};
  }),
  says: operation(saysArgs, (dc, args) => {
    const at = conversation(dc, args.place);
    return at.says(args.text, saysOptions(dc, at, args));
  }),
  edits: operation(onMessage.extend({ text: z.string() }), (dc, { place, message, text }) => {
    const at = conversation(dc, place);
    return at.edits(at.stored(message).message, text);
  }),
  deletes: operation(onMessage, (dc, { place, message }) => {
    const at = conversation(dc, place);
    at.deletes(at.stored(message).message);
    return {};
  }),
  reacts: operation(onMessage.extend({ emoji: z.string() }), (dc, { place, message, emoji }) => {
    const at = conversation(dc, place);
    at.reacts(at.stored(message).message, emoji);
    return {};
  }),
  uses: operation(useArgs.extend({ within }), (dc, { place, command, options, within: limit }) =>
    answerOf(conversation(dc, place).uses(command, useOptions(options)), limit),
  ),
  autocompletes: operation(useArgs.extend({ focused: z.string() }), (dc, { place, command, focused, options }) =>
    conversation(dc, place).autocompletes(command, focused, useOptions(options)).choices(),
  ),
  presses: operation(onMessage.extend({ button: z.string(), within }), (dc, { place, message, button, ...rest }) => {
    const at = conversation(dc, place);
    return answerOf(at.presses(at.stored(message).message, button), rest.within);
  }),
  botSays: operation(z.object({ place: placeArgs, text: z.string().optional(), within }), (dc, args) =>
    conversation(dc, args.place).botSays({
      ...(args.text === undefined ? {} : { matching: (m) => m.content.includes(args.text ?? "") }),
      ...(args.within === undefined ? {} : { within: args.within }),
    }),
  ),
  messages: operation(placeArgs, (dc, place) => conversation(dc, place).messages()),
  calls: operation(z.object({ method: z.string().optional() }), (dc, { method }) => {
    if (method !== undefined && !isRouteName(method)) throw new Error(`there is no route ${method}`);
    return dc.calls(method);
  }),
  connection: operation(z.object({ bot: z.string() }), (dc, { bot }) => {
    const account = botOf(dc, bot);
    return { connected: account.isConnected, identifies: account.identifies };
  }),
  commands: operation(
    z.object({ bot: z.string(), scope: z.string().optional() }),
    (dc, { bot, scope }) => botOf(dc, bot).commands(scope) ?? null,
  ),
  inject: operation(z.object({ bot: z.string(), t: z.string(), data: z.unknown() }), (dc, { bot, t, data }) => {
    dc.inject(botOf(dc, bot), t, data);
    return {};
  }),
  fails: operation(
    z.object({ what: z.custom<FaultKind>(isKinded), scope: z.custom<FaultScope>().optional() }),
    (dc, { what, scope }) => {
      dc.fails(what, scope);
      return {};
    },
  ),
  breaks: operation(z.object({ bot: z.string(), what: z.custom<GatewayBreak>(isKinded) }), (dc, { bot, what }) => {
    dc.breaks(botOf(dc, bot), what);
    return {};
  }),
  heals: operation(z.object({}), (dc) => {
    dc.heals();
    return {};
  }),
  stop: operation(z.object({}), async (dc) => {
    await dc.stop();
    return {};
  }),
  start: operation(z.object({}), async (dc) => {
    await dc.start();
    return {};
  }),
  load: operation(
    z.object({ places: z.array(placeArgs), count: z.number(), perSecond: z.number(), text: z.string().optional() }),
    (dc, { places, count, perSecond, text }) =>
      load(
        places.map((place) => conversation(dc, place)),
        { count, perSecond, text: text ?? "message" },
      ),
  ),
  closedLoop: operation(
    z.object({ places: z.array(placeArgs), rounds: z.number(), text: z.string().optional() }),
    (dc, { places, rounds, text }) =>
      closedLoop(
        places.map((place) => conversation(dc, place)),
        { rounds, text: text ?? "message" },
      ),
  ),
  latencies: operation(z.object({ places: z.array(placeArgs), sinceSeq: z.number().optional() }), (dc, args) =>
    latencies(
      args.places.map((place) => conversation(dc, place)),
      args.sinceSeq ?? 0,
    ),
  ),
};
