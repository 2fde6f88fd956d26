import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { FaultKind } from "../../support/emulators/discord/faults.ts";
import type { Guild } from "../../support/emulators/discord/guild.ts";
import { ROUTES, type RouteName } from "../../support/emulators/discord/route-table.ts";
import { type APIMessage, FLAG, MESSAGE_TYPE } from "../../support/emulators/discord/wire-types.ts";
import { startTestBridge } from "../../support/test-bridge.ts";
import { type Breaks, HELD_MS, type Sending, type Trouble } from "../breaks.ts";
import { named, type Place, SETTINGS, type Stage, type StageOptions } from "../stage.ts";

/** Changes something, but nothing that is read. */
const UNSEEN = /^(trigger_typing_indicator|create_dm|join_thread|\w*application_command\w*)$/;

function isSend(method: RouteName): boolean {
  return ROUTES[method][0] !== "GET" && !UNSEEN.test(method);
}

/** A call that is not acknowledged in 3 s has failed. */
const CALL_MS = 5_000;

interface Room {
  readonly bot: Bot;
  readonly guild: Guild;
  readonly owner: Person;
}

export async function startDiscord(options: StageOptions): Promise<Stage> {
  const dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const owner = dc.user({ name: "Owner" });
  const guild = dc.guild({ name: "Work", members: [owner, bot] });
  const account = { token: bot.token, apiUrl: dc.apiUrl, dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" };
  const commands = { ownerAllowFrom: [`discord:${owner.id}`] };
  const config = { ...SETTINGS, commands, channels: { discord: { ...account, ...options.account, pacing: false } } };
  const bridge = await startTestBridge({ ...options, telegram: false, config });
  return {
    bridge,
    place: async (kind, mark) =>
      kind === "dm" ? dmPlace(bot, dc.user({ name: `Person ${mark}` })) : roomPlace({ bot, guild, owner }, mark),
    watch: (sends) => {
      dc.onArrived((method) => {
        if (isSend(method)) return sends?.arrives(method, () => void dc.fails({ kind: "cutAfter" }, { method }));
      });
      dc.onAccepted((method) => {
        if (isSend(method)) return sends?.accepted(method);
      });
      if (sends === null) dc.heals();
    },
    breaks: breaksOf(dc, bot),
    ready: () => dc.connected(bot),
    [Symbol.asyncDispose]: async () => {
      await bridge[Symbol.asyncDispose]();
      await dc.stop();
    },
  };
}

const ROUTE: Readonly<Record<Exclude<Sending, "any">, RouteName>> = {
  message: "create_message",
  edit: "update_message",
  file: "create_message",
  thread: "create_thread_from_message",
  reaction: "add_my_message_reaction",
  native: "update_original_webhook_message",
  private: "update_original_webhook_message",
};

const TROUBLE: Readonly<Record<Trouble, FaultKind>> = {
  "429": { kind: "429", retryAfter: 1 },
  "5xx": { kind: "5xx" },
  cut: { kind: "cutAfter" },
  gone: { kind: "refusal", status: 404, code: 10_003, description: "Unknown Channel" },
  held: { kind: "slow", ms: HELD_MS, carriedOutFirst: false },
  "held after": { kind: "slow", ms: HELD_MS },
};

function breaksOf(dc: DiscordEmulator, bot: Bot): Breaks {
  return {
    fails: (to, what, { sending, after, times }) => {
      const method = sending === "any" ? {} : { method: ROUTE[sending] };
      const fault = dc.fails(TROUBLE[what], { ...method, channel: to, after, times });
      return { hits: () => fault.hits, off: fault.off };
    },
    platform: { goes: () => dc.stop(), returns: () => dc.start() },
    line: {
      goes: async () => {
        dc.fails({ kind: "5xx" }, { method: "gateway_connect", times: Number.POSITIVE_INFINITY });
        dc.breaks(bot, { kind: "cut" });
      },
      returns: () => dc.heals(),
    },
  };
}

function dmPlace(bot: Bot, person: Person): Place {
  const dm = person.dm(bot);
  return {
    to: dm.id,
    sigil: "/",
    says: async (text) => void dm.says(text),
    saysInThread: () => Promise.reject(new Error("direct messages have no threads")),
    uses: async (command) => void (await dm.uses(`/${command}`).acknowledged({ within: CALL_MS })),
    answers: async () => byBot(dm.messages()),
  };
}

function roomPlace({ bot, guild, owner }: Room, mark: string): Place {
  const channel = guild.text(`room-${mark}`);
  return {
    to: channel.id,
    sigil: "/",
    says: async (text) => void channel.from(owner).says(text, { mention: bot }),
    saysInThread: async (text) => {
      const [thread] = channel.threads();
      if (thread === undefined) throw new Error(`${mark}: there is no thread`);
      thread.from(owner).says(text);
    },
    uses: async (command) => void (await channel.from(owner).uses(`/${command}`).acknowledged({ within: CALL_MS })),
    answers: async () => [
      ...byBot(channel.from(owner).messages()),
      ...channel.threads().flatMap((thread) => byBot(thread.messages()).map((text) => `thread: ${text}`)),
    ],
  };
}

/** A thread begins with a pointer to the message it hangs on, which has no words of its own. */
function byBot(messages: readonly APIMessage[]): readonly string[] {
  return (
    messages
      .filter(({ author, type }) => author.bot === true && type !== MESSAGE_TYPE.threadStarter)
      // "… is thinking": it says nothing yet.
      .filter(({ flags = 0 }) => (flags & FLAG.loading) === 0)
      .map(({ content }) => named(content))
  );
}
