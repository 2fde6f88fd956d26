import { startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import type { FaultKind as DiscordFault } from "../support/emulators/discord/faults.ts";
import { startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import type { FaultKind as SlackFault } from "../support/emulators/slack/faults.ts";
import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import type { FaultKind as TelegramFault } from "../support/emulators/telegram/faults.ts";

/** What a platform does with messages of a bot: never answers; takes a while; refuses for ten minutes; refuses for good. */
export type Trouble =
  | { readonly what: "hangs" }
  | { readonly what: "slow"; readonly ms: number }
  | { readonly what: "limited"; readonly wholeBot: boolean }
  | { readonly what: "gone" }
  /** The second message meets it, and no other one. */
  | { readonly what: "second"; readonly fault: "429" | "5xx" | "cut" | "held" };

export const LIMITED_SECONDS = 600;
const FOR_EVER_MS = 600_000;
const ALWAYS = Number.POSITIVE_INFINITY;

export interface Struck {
  /** How many requests it has met. */
  hits(): number;
  off(): void;
}

/** A direct chat of a new person with a bot. */
export interface Chat {
  says(text: string): void;
  /** Resolves when the bot has written exactly this. */
  hears(text: string, within?: number): Promise<void>;
  answers(): readonly string[];
  /** The bot's messages to this chat meet trouble, or its edits here. Default: messages. */
  struck(trouble: Trouble, on?: "messages" | "edits"): Struck;
}

/** One bot account on one platform. */
export interface Side {
  chat(): Chat;
  /** All its messages meet trouble. */
  struck(trouble: Trouble): Struck;
}

export const PLATFORMS = ["telegram", "discord", "slack"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** One platform with four bots: what one of them suffers must not be felt at the others. */
export interface ManySided {
  readonly name: PlatformName;
  /** What stands under `channels.<name>`. */
  readonly config: object;
  /** The account `default`. */
  readonly calm: Side;
  readonly hung: Side;
  readonly refused: Side;
  /** Shows its answers while they grow. */
  readonly streams: Side;
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** The same words on every platform. */
function secondFault(fault: Extract<Trouble, { what: "second" }>["fault"]) {
  switch (fault) {
    case "429":
      return { kind: "429", retryAfter: 1 } as const;
    case "5xx":
      return { kind: "5xx" } as const;
    case "cut":
      return { kind: "cutAfter" } as const;
    case "held":
      return { kind: "slow", ms: FOR_EVER_MS, carriedOutFirst: false } as const;
  }
}

function timesOf({ what }: Trouble): { readonly times: number; readonly after?: number } {
  return what === "second" ? { times: 1, after: 1 } : { times: ALWAYS };
}

const OPEN = { dmPolicy: "open", allowFrom: ["*"], pacing: false, streaming: "off" };
const WITHIN_MS = 20_000;

export async function manySidedTelegram(): Promise<ManySided> {
  const tg = await startTelegramEmulator({ keepCalls: 100 });
  const bots = [
    tg.bot({ username: "calm_bot" }),
    tg.bot({ username: "hung_bot" }),
    tg.bot({ username: "refused_bot" }),
    tg.bot({ username: "streams_bot" }),
  ] as const;
  const kindOf = (trouble: Trouble): TelegramFault => {
    switch (trouble.what) {
      case "hangs":
        return { kind: "slow", ms: FOR_EVER_MS, carriedOutFirst: false };
      case "slow":
        return { kind: "slow", ms: trouble.ms };
      case "limited":
        return { kind: "429", retryAfter: LIMITED_SECONDS };
      case "second":
        return secondFault(trouble.fault);
      case "gone":
        return { kind: "refusal", code: 403, description: "Forbidden: bot was blocked by the user" };
    }
  };
  const struck = (
    trouble: Trouble,
    scope: { chat?: number; botId?: number },
    on: "messages" | "edits" = "messages",
  ): Struck => {
    const fault = tg.fails(kindOf(trouble), {
      ...scope,
      method: on === "edits" ? "editMessageText" : "sendMessage",
      ...timesOf(trouble),
    });
    return { hits: () => fault.hits, off: fault.off };
  };
  const side = (bot: (typeof bots)[number]): Side => ({
    struck: (trouble) => struck(trouble, { botId: bot.id }),
    chat: () => {
      const dm = tg.user({ name: "Somebody" }).dm(bot);
      return {
        says: (text) => void dm.says(text),
        hears: async (text, within = WITHIN_MS) => void (await dm.botSays({ matching: text, within })),
        answers: () => dm.messages().flatMap(({ from, text = "" }) => (from?.is_bot === true ? [text] : [])),
        struck: (trouble, on) => struck(trouble, { chat: dm.id }, on),
      };
    },
  });
  return {
    name: "telegram",
    config: {
      ...OPEN,
      apiRoot: tg.apiRoot,
      botToken: bots[0].token,
      accounts: {
        hung: { botToken: bots[1].token },
        refused: { botToken: bots[2].token },
        streams: { botToken: bots[3].token, streaming: "partial" },
      },
    },
    calm: side(bots[0]),
    hung: side(bots[1]),
    refused: side(bots[2]),
    streams: side(bots[3]),
    ready: async () => void (await Promise.all(bots.map((bot) => tg.caughtUp(bot, { within: WITHIN_MS })))),
    stop: () => tg.stop(),
  };
}

export async function manySidedDiscord(): Promise<ManySided> {
  const dc = await startDiscordEmulator({ keepCalls: 100 });
  const bots = [
    dc.bot({ username: "calm", messageContent: true }),
    dc.bot({ username: "hung", messageContent: true }),
    dc.bot({ username: "refused", messageContent: true }),
    dc.bot({ username: "streams", messageContent: true }),
  ] as const;
  const kindOf = (trouble: Trouble): DiscordFault => {
    switch (trouble.what) {
      case "hangs":
        return { kind: "slow", ms: FOR_EVER_MS, carriedOutFirst: false };
      case "slow":
        return { kind: "slow", ms: trouble.ms };
      case "limited":
        return { kind: "429", retryAfter: LIMITED_SECONDS, global: trouble.wholeBot };
      case "second":
        return secondFault(trouble.fault);
      case "gone":
        return { kind: "refusal", status: 403, code: 50_007, description: "Cannot send messages to this user" };
    }
  };
  const struck = (
    trouble: Trouble,
    scope: { channel?: string; botId?: string },
    on: "messages" | "edits" = "messages",
  ): Struck => {
    const fault = dc.fails(kindOf(trouble), {
      ...scope,
      method: on === "edits" ? "update_message" : "create_message",
      ...timesOf(trouble),
    });
    return { hits: () => fault.hits, off: fault.off };
  };
  const side = (bot: (typeof bots)[number]): Side => ({
    struck: (trouble) => struck(trouble, { botId: bot.id }),
    chat: () => {
      const dm = dc.user({ name: "Somebody" }).dm(bot);
      return {
        says: (text) => void dm.says(text),
        hears: async (text, within = WITHIN_MS) => void (await dm.botSays({ matching: text, within })),
        answers: () => dm.messages().flatMap(({ author, content }) => (author.bot === true ? [content] : [])),
        struck: (trouble, on) => struck(trouble, { channel: dm.id }, on),
      };
    },
  });
  return {
    name: "discord",
    config: {
      ...OPEN,
      apiUrl: dc.apiUrl,
      token: bots[0].token,
      accounts: {
        hung: { token: bots[1].token },
        refused: { token: bots[2].token },
        streams: { token: bots[3].token, streaming: "partial" },
      },
    },
    calm: side(bots[0]),
    hung: side(bots[1]),
    refused: side(bots[2]),
    streams: side(bots[3]),
    ready: async () => void (await Promise.all(bots.map((bot) => dc.connected(bot, { within: WITHIN_MS })))),
    stop: () => dc.stop(),
  };
}

export async function manySidedSlack(): Promise<ManySided> {
  const sl = await startSlackEmulator({ keepCalls: 100 });
  const apps = [
    sl.app({ name: "Calm" }),
    sl.app({ name: "Hung" }),
    sl.app({ name: "Refused" }),
    sl.app({ name: "Streams" }),
  ] as const;
  const tokens = ({ botToken, appToken }: (typeof apps)[number]) => ({ botToken, appToken });
  const kindOf = (trouble: Trouble): SlackFault => {
    switch (trouble.what) {
      case "hangs":
        return { kind: "slow", ms: FOR_EVER_MS, carriedOutFirst: false };
      case "slow":
        return { kind: "slow", ms: trouble.ms };
      case "limited":
        return { kind: "429", retryAfter: LIMITED_SECONDS };
      case "second":
        return secondFault(trouble.fault);
      case "gone":
        return { kind: "refusal", error: "channel_not_found" };
    }
  };
  const struck = (
    trouble: Trouble,
    scope: { channel?: string; appId?: string },
    on: "messages" | "edits" = "messages",
  ): Struck => {
    const fault = sl.fails(kindOf(trouble), {
      ...scope,
      method: on === "edits" ? "chat.update" : "chat.postMessage",
      ...timesOf(trouble),
    });
    return { hits: () => fault.hits, off: fault.off };
  };
  const side = (app: (typeof apps)[number]): Side => ({
    struck: (trouble) => struck(trouble, { appId: app.id }),
    chat: () => {
      const dm = sl.user({ name: "somebody" }).dm(app);
      return {
        says: (text) => void dm.says(text),
        hears: async (text, within = WITHIN_MS) => void (await dm.botSays({ matching: text, within })),
        answers: () => dm.messages().flatMap(({ bot_id, text }) => (bot_id === undefined ? [] : [text])),
        struck: (trouble, on) => struck(trouble, { channel: dm.id }, on),
      };
    },
  });
  return {
    name: "slack",
    config: {
      ...OPEN,
      apiUrl: sl.apiUrl,
      ...tokens(apps[0]),
      accounts: {
        hung: tokens(apps[1]),
        refused: tokens(apps[2]),
        streams: { ...tokens(apps[3]), streaming: "partial" },
      },
    },
    calm: side(apps[0]),
    hung: side(apps[1]),
    refused: side(apps[2]),
    streams: side(apps[3]),
    ready: async () => void (await Promise.all(apps.map((app) => app.connected(1, { within: WITHIN_MS })))),
    stop: () => sl.stop(),
  };
}
