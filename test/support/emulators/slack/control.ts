import { z } from "zod";
import { App, Person } from "./accounts.ts";
import { Channel } from "./channels.ts";
import { Conversation, type Speaker } from "./conversation.ts";
import type { SlackEmulator } from "./emulator.ts";
import type { FaultKind, FaultScope } from "./faults.ts";
import { closedLoop, latencies, load } from "./load.ts";
import { methodNamed } from "./request-schema.ts";

/** An IM is named by its two people, any other place by conversation id; both with the thread's root if there is one. */
const placeArgs = z.union([
  z.object({ app: z.string(), user: z.string(), thread: z.string().nullish() }),
  z.object({ channel: z.string(), user: z.string().optional(), thread: z.string().nullish() }),
]);
export type PlaceArgs = z.infer<typeof placeArgs>;

interface Operation<Args, Result> {
  args: z.ZodType<Args>;
  run: (sl: SlackEmulator, args: Args) => Result | Promise<Result>;
}

function operation<Args, Result>(
  args: z.ZodType<Args>,
  run: (sl: SlackEmulator, args: Args) => Result | Promise<Result>,
): Operation<Args, Result> {
  return { args, run };
}

/** An app's or a person's account, by app id or user id. */
function speaker(sl: SlackEmulator, id: string): Speaker {
  const user = sl.world.apps.get(id)?.user ?? sl.world.users.get(id);
  if (user === undefined) throw new Error(`there is no user ${id}`);
  return { user };
}

function appOf(sl: SlackEmulator, id: string): App {
  return new App(sl.world, sl.world.appById(id));
}

function person(sl: SlackEmulator, id: string): Person {
  return new Person(sl.world, sl.deliverOne, speaker(sl, id).user);
}

/** The place a command names, with whoever acts in it (the creator when nobody is named). */
export function conversation(sl: SlackEmulator, place: PlaceArgs): Conversation {
  const thread = place.thread ?? null;
  if ("app" in place) {
    const { user } = speaker(sl, place.user);
    return new Conversation(sl.world, sl.world.im(user, appOf(sl, place.app).user), thread, { user });
  }
  const record = sl.world.conversations.get(place.channel);
  if (record === undefined) throw new Error(`there is no conversation ${place.channel}`);
  return new Conversation(sl.world, record, thread, speaker(sl, place.user ?? record.creator));
}

function channelOf(sl: SlackEmulator, id: string): Channel {
  const at = conversation(sl, { channel: id });
  return new Channel(sl.world, at.conversation, at.speaker);
}

const fileArgs = z.object({
  name: z.string(),
  base64: z.string(),
  mimeType: z.string().optional(),
  redirects: z.number().optional(),
  refusedWith: z.number().optional(),
});

const saysArgs = z.object({
  place: placeArgs,
  text: z.string(),
  mention: z.string().optional(),
  broadcast: z.boolean().optional(),
  order: z.enum(["message-first", "mention-first", "message-only", "mention-only"]).optional(),
  files: z.array(fileArgs).optional(),
});

/** Without what was not given: optional fields of the language are left out, never undefined. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}

const onMessage = z.object({ place: placeArgs, message: z.string() });
const inChannel = z.object({ channel: z.string() });

/** What a parent process can ask of an emulator that runs in its own process. */
export const OPERATIONS = {
  app: operation(
    z.object({
      name: z.string().optional(),
      scopes: z.array(z.string()).optional(),
      events: z.array(z.string()).optional(),
      assistant: z.boolean().optional(),
      botToken: z.string().optional(),
      appToken: z.string().optional(),
      signingSecret: z.string().optional(),
    }),
    (sl, args) => {
      const { id, userId, botToken, appToken, signingSecret } = sl.app(given(args));
      return { id, userId, botToken, appToken, signingSecret };
    },
  ),
  user: operation(z.object({ name: z.string() }), (sl, { name }) => ({ id: sl.user({ name }).id })),
  channel: operation(
    z.object({ name: z.string(), members: z.array(z.string()), private: z.boolean().optional() }),
    (sl, { name, members, ...more }) => {
      const made = sl.channel(name, { members: members.map((id) => speaker(sl, id)), ...given(more) });
      return { channel: made.id };
    },
  ),
  mpim: operation(z.object({ members: z.array(z.string()) }), (sl, { members }) => ({
    channel: sl.mpim(members.map((id) => speaker(sl, id))).id,
  })),
  archive: operation(inChannel, (sl, { channel }) => {
    channelOf(sl, channel).archives();
    return {};
  }),
  kick: operation(inChannel.extend({ member: z.string() }), (sl, { channel, member }) => {
    channelOf(sl, channel).kicks(speaker(sl, member));
    return {};
  }),
  says: operation(saysArgs, (sl, { place, text, mention, files, ...more }) =>
    conversation(sl, place).says(text, {
      ...given(more),
      ...(mention === undefined ? {} : { mention: speaker(sl, mention) }),
      files: (files ?? []).map(({ base64, ...file }) => ({ ...given(file), bytes: Buffer.from(base64, "base64") })),
    }),
  ),
  edits: operation(onMessage.extend({ text: z.string() }), (sl, { place, message, text }) =>
    conversation(sl, place).edits({ ts: message }, text),
  ),
  deletes: operation(onMessage, (sl, { place, message }) => {
    conversation(sl, place).deletes({ ts: message });
    return {};
  }),
  reacts: operation(onMessage.extend({ name: z.string() }), (sl, { place, message, name }) => {
    conversation(sl, place).reacts({ ts: message }, name);
    return {};
  }),
  slash: operation(z.object({ place: placeArgs, line: z.string(), app: z.string().optional() }), (sl, args) => {
    const at = conversation(sl, args.place);
    const app = args.app === undefined ? undefined : appOf(sl, args.app);
    return person(sl, at.speaker.user.id).slash(args.line, at, app).outcome;
  }),
  presses: operation(onMessage.extend({ button: z.string() }), (sl, { place, message, button }) => {
    const at = conversation(sl, place);
    return person(sl, at.speaker.user.id).presses({ ts: message }, button, at).outcome;
  }),
  botSays: operation(
    z.object({ place: placeArgs, text: z.string().optional(), within: z.number().optional() }),
    (sl, { place, text, within }) =>
      conversation(sl, place).botSays({
        ...(text === undefined ? {} : { matching: (message) => message.text.includes(text) }),
        ...(within === undefined ? {} : { within }),
      }),
  ),
  messages: operation(placeArgs, (sl, place) => conversation(sl, place).messages()),
  ephemerals: operation(placeArgs, (sl, place) => conversation(sl, place).ephemerals()),
  calls: operation(z.object({ method: z.string().optional() }), (sl, { method }) =>
    sl.calls(method === undefined ? undefined : methodNamed(method)),
  ),
  pending: operation(z.object({ app: z.string() }), (sl, { app }) => {
    const { pendingEvents, sockets } = appOf(sl, app);
    return { events: pendingEvents, sockets: sockets.length };
  }),
  connected: operation(
    z.object({ app: z.string(), count: z.number().optional(), within: z.number().optional() }),
    async (sl, { app, count, within }) => {
      await appOf(sl, app).connected(count ?? 1, within === undefined ? {} : { within });
      return {};
    },
  ),
  hears: operation(z.object({ app: z.string(), event: z.record(z.string(), z.unknown()) }), (sl, { app, event }) => ({
    eventId: appOf(sl, app).hears(event),
  })),
  misses: operation(z.object({ app: z.string() }), (sl, { app }) => {
    appOf(sl, app).misses();
    return {};
  }),
  /** `refresh_requested` and the like on every connection of an app, or `cut` and `silence`. */
  socket: operation(
    z.object({
      app: z.string(),
      act: z.enum(["warning", "refresh_requested", "link_disabled", "too_many_websockets", "cut", "silence"]),
    }),
    (sl, { app, act }) => {
      for (const connection of appOf(sl, app).sockets) {
        if (act === "cut") connection.cuts();
        else if (act === "silence") connection.silences();
        else connection.disconnects(act);
      }
      return {};
    },
  ),
  requestUrl: operation(z.object({ app: z.string(), url: z.string() }), async (sl, { app, url }) => {
    await appOf(sl, app).setRequestUrl(url);
    return {};
  }),
  // Faults are written by the same code that switches them on in-process; the union is checked there by its `kind`.
  fails: operation(
    z.object({ what: z.custom<FaultKind>(isKinded), scope: z.custom<FaultScope>().optional() }),
    (sl, { what, scope }) => {
      sl.fails(what, scope);
      return {};
    },
  ),
  heals: operation(z.object({}), (sl) => {
    sl.heals();
    return {};
  }),
  stop: operation(z.object({}), async (sl) => {
    await sl.stop();
    return {};
  }),
  start: operation(z.object({}), async (sl) => {
    await sl.start();
    return {};
  }),
  load: operation(
    z.object({ places: z.array(placeArgs), count: z.number(), perSecond: z.number(), text: z.string().optional() }),
    (sl, { places, count, perSecond, text }) =>
      load(
        places.map((place) => conversation(sl, place)),
        { count, perSecond, text: text ?? "message" },
      ),
  ),
  closedLoop: operation(
    z.object({ places: z.array(placeArgs), rounds: z.number(), text: z.string().optional() }),
    (sl, { places, rounds, text }) =>
      closedLoop(
        places.map((place) => conversation(sl, place)),
        { rounds, text: text ?? "message" },
      ),
  ),
  latencies: operation(z.object({ places: z.array(placeArgs), sinceSeq: z.number().optional() }), (sl, args) =>
    latencies(
      args.places.map((place) => conversation(sl, place)),
      args.sinceSeq ?? 0,
    ),
  ),
};

function isKinded(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value;
}
