import { startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import { startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";

/** Somebody who writes in one conversation. */
export interface Writer {
  /** What the store calls the conversation and the message: `<channel>/<conversation>/<message>`. */
  says(text: string): string;
}

/** One emulated platform, with its own limits on, and the people who write to one bot there. */
export interface Crowd {
  readonly channel: "telegram" | "discord" | "slack";
  /** What stands under `channels.<channel>`. */
  readonly config: object;
  ready(): Promise<void>;
  /** A new person in a direct chat with the bot. */
  person(): Writer;
  /** One conversation of so many people, all of whom address the bot. */
  room(people: number): readonly Writer[];
  /** What the bot has written and people can read: `<conversation>/<message>`. */
  written(): ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Everybody may write; everything else is as it comes: pacing, limits per sender, the queue. */
const OPEN = { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", streaming: "off" };
const KEPT_CALLS = 100;

export interface CrowdOptions {
  /** The platform's own limits are on. */
  readonly limits: boolean;
}

const limited = (limits: boolean) => (limits ? ({ rateLimits: true } as const) : {});

export async function telegramCrowd({ limits }: CrowdOptions): Promise<Crowd> {
  const tg = await startTelegramEmulator({ ...limited(limits), keepCalls: KEPT_CALLS });
  const bot = tg.bot({ username: "burst_bot" });
  const people = Array.from({ length: 0 }, () => tg.user({ name: "" }));
  const newPerson = () => {
    const person = tg.user({ name: `Person ${people.length}` });
    people.push(person);
    return person;
  };
  const rooms: ReturnType<typeof tg.group>[] = [];
  return {
    channel: "telegram",
    config: { ...OPEN, botToken: bot.token, apiRoot: tg.apiRoot },
    ready: () => tg.caughtUp(bot, { within: 20_000 }),
    person: () => {
      const dm = newPerson().dm(bot);
      return { says: (text) => `telegram/${dm.id}/${dm.says(text).message_id}` };
    },
    room: (count) => {
      const members = Array.from({ length: count }, newPerson);
      const group = tg.group({ title: "Burst", members: [...members, bot], supergroup: true });
      rooms.push(group);
      return members.map((person) => ({
        says: (text) => `telegram/${group.id}/${group.from(person).says(text, { mention: bot }).message_id}`,
      }));
    },
    written: () => {
      const places = [...people.map((person) => person.dm(bot)), ...rooms];
      return new Set(
        places.flatMap((place) =>
          place.messages().flatMap((one) => (one.from?.is_bot === true ? [`${place.id}/${one.message_id}`] : [])),
        ),
      );
    },
    stop: () => tg.stop(),
  };
}

export async function discordCrowd({ limits }: CrowdOptions): Promise<Crowd> {
  const dc = await startDiscordEmulator({ ...limited(limits), keepCalls: KEPT_CALLS });
  const bot = dc.bot({ username: "burst", messageContent: true });
  const owner = dc.user({ name: "Owner" });
  const people = [owner];
  const newPerson = () => {
    const person = dc.user({ name: `Person ${people.length}` });
    people.push(person);
    return person;
  };
  const rooms: { readonly id: string; messages(): ReturnType<ReturnType<typeof owner.dm>["messages"]> }[] = [];
  // A bot is in no guild that was made after it connected, unless it is told; this one is there from the start.
  const members = Array.from({ length: 100 }, newPerson);
  const guild = dc.guild({ name: "Work", members: [owner, bot, ...members] });
  return {
    channel: "discord",
    config: { ...OPEN, token: bot.token, apiUrl: dc.apiUrl },
    ready: () => dc.connected(bot, { within: 20_000 }),
    person: () => {
      const dm = newPerson().dm(bot);
      return { says: (text) => `discord/${dm.id}/${dm.says(text).id}` };
    },
    room: (count) => {
      const channel = guild.text(`burst-${rooms.length}`);
      rooms.push(channel);
      return members.slice(0, count).map((person) => ({
        says: (text) => `discord/${channel.id}/${channel.from(person).says(text, { mention: bot }).id}`,
      }));
    },
    written: () => {
      const places = [...people.map((person) => person.dm(bot)), ...rooms];
      return new Set(
        places.flatMap((place) =>
          place.messages().flatMap((one) => (one.author.bot === true ? [`${place.id}/${one.id}`] : [])),
        ),
      );
    },
    stop: () => dc.stop(),
  };
}

export async function slackCrowd({ limits }: CrowdOptions): Promise<Crowd> {
  const sl = await startSlackEmulator({ ...limited(limits), keepCalls: KEPT_CALLS });
  const app = sl.app({ name: "Burst" });
  const owner = sl.user({ name: "owner" });
  const people = [owner];
  const newPerson = () => {
    const person = sl.user({ name: `person${people.length}` });
    people.push(person);
    return person;
  };
  const rooms: { readonly id: string; messages(): ReturnType<ReturnType<typeof owner.dm>["messages"]> }[] = [];
  return {
    channel: "slack",
    config: { ...OPEN, botToken: app.botToken, appToken: app.appToken, apiUrl: sl.apiUrl },
    ready: () => app.connected(1, { within: 20_000 }),
    person: () => {
      const dm = newPerson().dm(app);
      return { says: (text) => `slack/${dm.id}/${dm.says(text).ts}` };
    },
    // A mention is answered in its thread; so many people meet in one.
    room: (count) => {
      const members = Array.from({ length: count }, newPerson);
      const channel = sl.channel(`burst-${rooms.length}`, { members: [owner, app, ...members] });
      const thread = channel.thread(channel.from(owner).says("here we are"));
      rooms.push(thread);
      return members.map((person) => ({
        says: (text) => `slack/${channel.id}/${thread.from(person).says(text, { mention: app }).ts}`,
      }));
    },
    written: () => {
      const places = [...people.map((person) => person.dm(app)), ...rooms];
      return new Set(
        places.flatMap((place) =>
          place.messages().flatMap((one) => (one.bot_id === undefined ? [] : [`${place.id}/${one.ts}`])),
        ),
      );
    },
    stop: () => sl.stop(),
  };
}
