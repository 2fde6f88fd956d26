import { z } from "zod";
import { Bot } from "./accounts.ts";
import { Conversation, type SaysOptions, type Speaker } from "./conversation.ts";
import type { TelegramEmulator } from "./emulator.ts";
import type { FaultKind, FaultScope } from "./faults.ts";
import { Forum } from "./groups.ts";
import { closedLoop, latencies, load } from "./load.ts";
import { methodNamed } from "./request-schema.ts";

/** A private chat is named by its two people, any other place by chat id and topic. */
const placeArgs = z.union([
  z.object({ bot: z.number(), user: z.number(), topic: z.number().nullish() }),
  z.object({ chat: z.number(), user: z.number().optional(), topic: z.number().nullish() }),
]);
export type PlaceArgs = z.infer<typeof placeArgs>;

const groupArgs = z.object({
  title: z.string(),
  members: z.array(z.number()),
  admins: z.array(z.number()).optional(),
  username: z.string().optional(),
});

interface Operation<Args, Result> {
  args: z.ZodType<Args>;
  run: (tg: TelegramEmulator, args: Args) => Result | Promise<Result>;
}

function operation<Args, Result>(
  args: z.ZodType<Args>,
  run: (tg: TelegramEmulator, args: Args) => Result | Promise<Result>,
): Operation<Args, Result> {
  return { args, run };
}

function speaker(tg: TelegramEmulator, id: number): Speaker {
  const user = tg.world.users.get(id);
  if (user === undefined) throw new Error(`there is no user ${id}`);
  return { user };
}

function botOf(tg: TelegramEmulator, id: number): Bot {
  const record = tg.world.botById(id);
  if (record === undefined) throw new Error(`there is no bot ${id}`);
  return new Bot(record);
}

/** The place a command names, with whoever acts in it (a group's owner when nobody is named). */
export function conversation(tg: TelegramEmulator, place: PlaceArgs): Conversation {
  if ("bot" in place) {
    const { user } = speaker(tg, place.user);
    const chat = tg.world.privateChat(user, botOf(tg, place.bot).record);
    return new Conversation(tg.world, chat, place.topic ?? null, { user });
  }
  const chat = tg.world.chatById(place.chat);
  if (chat === undefined) throw new Error(`there is no chat ${place.chat}`);
  const owner = [...chat.members.values()].find((member) => member.status === "creator")?.user.id;
  const acting = place.user ?? owner;
  if (acting === undefined) throw new Error("say who acts");
  return new Conversation(tg.world, chat, place.topic ?? null, speaker(tg, acting));
}

function group(tg: TelegramEmulator, chatId: number): Forum {
  const place = conversation(tg, { chat: chatId });
  return new Forum(tg.world, place.chat, place.speaker);
}

function members(tg: TelegramEmulator, args: z.infer<typeof groupArgs>) {
  return {
    title: args.title,
    members: args.members.map((id) => speaker(tg, id)),
    ...(args.username === undefined ? {} : { username: args.username }),
  };
}

/** Admins must be the very objects of `members`. */
function filled(tg: TelegramEmulator, args: z.infer<typeof groupArgs>) {
  const base = members(tg, args);
  return { ...base, admins: base.members.filter((member) => args.admins?.includes(member.user.id) === true) };
}

const fileArgs = z.object({
  name: z.string(),
  base64: z.string(),
  mimeType: z.string().optional(),
  as: z.enum(["photo", "document", "voice", "audio", "video"]).optional(),
});

const saysArgs = z.object({
  place: placeArgs,
  text: z.string(),
  mention: z.number().optional(),
  replyTo: z.number().optional(),
  files: z.array(fileArgs).optional(),
});

function saysOptions(tg: TelegramEmulator, at: Conversation, args: z.infer<typeof saysArgs>): SaysOptions {
  const files = (args.files ?? []).map(({ name, base64, mimeType, as }) => ({
    name,
    bytes: Buffer.from(base64, "base64"),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(as === undefined ? {} : { as }),
  }));
  return {
    files,
    ...(args.mention === undefined ? {} : { mention: speaker(tg, args.mention) }),
    ...(args.replyTo === undefined ? {} : { replyTo: at.stored(args.replyTo).message }),
  };
}

const onMessage = z.object({ place: placeArgs, message: z.number() });

/** What a parent process can ask of an emulator that runs in its own process. */
export const OPERATIONS = {
  bot: operation(
    z.object({
      username: z.string(),
      token: z.string().optional(),
      canReadAllGroupMessages: z.boolean().optional(),
      hasTopicsEnabled: z.boolean().optional(),
    }),
    (tg, { token, canReadAllGroupMessages = false, hasTopicsEnabled = false, username }) => {
      const made = tg.bot({
        username,
        canReadAllGroupMessages,
        hasTopicsEnabled,
        ...(token === undefined ? {} : { token }),
      });
      return { id: made.id, token: made.token, username: made.username };
    },
  ),
  user: operation(z.object({ name: z.string(), username: z.string().optional() }), (tg, { name, username }) => ({
    id: tg.user({ name, ...(username === undefined ? {} : { username }) }).id,
  })),
  group: operation(groupArgs, (tg, args) => ({ chat: tg.group(filled(tg, args)).id })),
  supergroup: operation(groupArgs, (tg, args) => ({ chat: tg.group({ ...filled(tg, args), supergroup: true }).id })),
  forum: operation(groupArgs, (tg, args) => ({ chat: tg.forum(filled(tg, args)).id })),
  channel: operation(groupArgs, (tg, args) => ({ chat: tg.channel(filled(tg, args)).id })),
  topic: operation(z.object({ chat: z.number(), name: z.string() }), (tg, { chat, name }) => ({
    topic: group(tg, chat).topic(name).threadId,
  })),
  closeTopic: operation(z.object({ chat: z.number(), topic: z.number() }), (tg, { chat, topic }) => {
    group(tg, chat).inTopic(topic).closes();
    return {};
  }),
  deleteTopic: operation(z.object({ chat: z.number(), topic: z.number() }), (tg, { chat, topic }) => {
    group(tg, chat).inTopic(topic).deletes();
    return {};
  }),
  migrate: operation(z.object({ chat: z.number() }), (tg, { chat }) => ({ chat: tg.migrate(group(tg, chat)).id })),
  says: operation(saysArgs, (tg, args) => {
    const at = conversation(tg, args.place);
    return at.says(args.text, saysOptions(tg, at, args));
  }),
  edits: operation(onMessage.extend({ text: z.string() }), (tg, { place, message, text }) => {
    const at = conversation(tg, place);
    return at.edits(at.stored(message).message, text);
  }),
  deletes: operation(onMessage, (tg, { place, message }) => {
    const at = conversation(tg, place);
    at.deletes(at.stored(message).message);
    return {};
  }),
  presses: operation(onMessage.extend({ button: z.string() }), async (tg, { place, message, button }) => {
    const at = conversation(tg, place);
    return at.presses(at.stored(message).message, button).answer();
  }),
  botSays: operation(
    z.object({ place: placeArgs, text: z.string().optional(), within: z.number().optional() }),
    (tg, { place, text, within }) =>
      conversation(tg, place).botSays({
        ...(text === undefined ? {} : { matching: (m) => (m.text ?? m.caption ?? "").includes(text) }),
        ...(within === undefined ? {} : { within }),
      }),
  ),
  messages: operation(placeArgs, (tg, place) => conversation(tg, place).messages()),
  calls: operation(z.object({ method: z.string().optional() }), (tg, { method }) =>
    tg.calls(method === undefined ? undefined : methodNamed(method)),
  ),
  pending: operation(z.object({ bot: z.number() }), (tg, { bot }) => {
    const account = botOf(tg, bot);
    return { updates: account.pendingUpdates, polled: account.isPolled };
  }),
  inject: operation(
    z.object({ bot: z.number(), update: z.record(z.string(), z.unknown()) }),
    (tg, { bot, update }) => ({
      updateId: tg.inject(botOf(tg, bot), update),
    }),
  ),
  // Faults are written by the same code that switches them on in-process; the union is checked there by its `kind`.
  fails: operation(
    z.object({ what: z.custom<FaultKind>(isKinded), scope: z.custom<FaultScope>().optional() }),
    (tg, { what, scope }) => {
      tg.fails(what, scope);
      return {};
    },
  ),
  heals: operation(z.object({}), (tg) => {
    tg.heals();
    return {};
  }),
  stop: operation(z.object({}), async (tg) => {
    await tg.stop();
    return {};
  }),
  start: operation(z.object({}), async (tg) => {
    await tg.start();
    return {};
  }),
  load: operation(
    z.object({ places: z.array(placeArgs), count: z.number(), perSecond: z.number(), text: z.string().optional() }),
    (tg, { places, count, perSecond, text }) =>
      load(
        places.map((place) => conversation(tg, place)),
        { count, perSecond, text: text ?? "message" },
      ),
  ),
  closedLoop: operation(
    z.object({ places: z.array(placeArgs), rounds: z.number(), text: z.string().optional() }),
    (tg, { places, rounds, text }) =>
      closedLoop(
        places.map((place) => conversation(tg, place)),
        { rounds, text: text ?? "message" },
      ),
  ),
  latencies: operation(z.object({ places: z.array(placeArgs), sinceSeq: z.number().optional() }), (tg, args) =>
    latencies(
      args.places.map((place) => conversation(tg, place)),
      args.sinceSeq ?? 0,
    ),
  ),
};

function isKinded(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value;
}
