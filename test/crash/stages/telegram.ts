import type { TelegramMessage } from "@gramio/types/objects";
import type { Person } from "../../support/emulators/telegram/accounts.ts";
import type { Fault, FaultKind } from "../../support/emulators/telegram/faults.ts";
import type { MethodName } from "../../support/emulators/telegram/method-names.ts";
import { startTestBridge, type TestBridge } from "../../support/test-bridge.ts";
import { type Breaks, HELD_MS, type Sending, type Trouble } from "../breaks.ts";
import { named, type Place, SETTINGS, type Stage, type StageOptions } from "../stage.ts";

/** All others change what people see. */
const NO_SEND = /^(get|setWebhook|deleteWebhook|setMy|deleteMy|sendChatAction$)/;

export async function startTelegram(options: StageOptions): Promise<Stage> {
  const bridge = await startTestBridge({
    ...options,
    config: { ...SETTINGS, channels: { telegram: options.account ?? {} } },
  });
  const { tg } = bridge;
  const isSend = (method: MethodName): boolean => !NO_SEND.test(method);
  return {
    bridge,
    place: async (kind, mark) =>
      kind === "dm" ? dmPlace(bridge, tg.user({ name: `Person ${mark}` })) : roomPlace(bridge, mark),
    watch: (sends) => {
      tg.onArrived((method) => {
        if (isSend(method)) return sends?.arrives(method, () => void tg.fails({ kind: "cutAfter" }, { method }));
      });
      tg.onAccepted((method) => {
        if (isSend(method)) return sends?.accepted(method);
      });
      if (sends === null) tg.heals();
    },
    breaks: breaksOf(bridge),
    ready: async () => undefined,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}

const METHOD: Readonly<Record<Exclude<Sending, "any">, MethodName>> = {
  message: "sendMessage",
  edit: "editMessageText",
  file: "sendDocument",
  thread: "createForumTopic",
  reaction: "setMessageReaction",
  // Its menu writes a command as a message.
  native: "sendMessage",
  private: "sendMessage",
};

const TROUBLE: Readonly<Record<Trouble, FaultKind>> = {
  "429": { kind: "429", retryAfter: 1 },
  "5xx": { kind: "5xx" },
  cut: { kind: "cutAfter" },
  gone: { kind: "refusal", code: 403, description: "Forbidden: bot was blocked by the user" },
  held: { kind: "slow", ms: HELD_MS, carriedOutFirst: false },
  "held after": { kind: "slow", ms: HELD_MS },
};

function breaksOf({ tg, bot, bob }: TestBridge): Breaks {
  const polls: Fault[] = [];
  return {
    fails: (to, what, { sending, after, times }) => {
      const method = sending === "any" ? {} : { method: METHOD[sending] };
      const fault = tg.fails(TROUBLE[what], { ...method, chat: Number(to), after, times });
      return { hits: () => fault.hits, off: fault.off };
    },
    platform: { goes: () => tg.stop(), returns: () => tg.start() },
    line: {
      goes: async () => {
        polls.push(tg.fails({ kind: "5xx" }, { method: "getUpdates", botId: bot.id, times: Number.POSITIVE_INFINITY }));
        // A poll that is held already is answered still.
        bob.dm(bot).says("anybody there?");
      },
      returns: () => {
        for (const fault of polls.splice(0)) fault.off();
      },
    },
  };
}

function dmPlace({ bot }: TestBridge, person: Person): Place {
  const dm = person.dm(bot);
  return {
    to: String(dm.id),
    sigil: "/",
    says: async (text) => void dm.says(text),
    saysInThread: () => Promise.reject(new Error("this chat has no topics")),
    answers: async () => byBot(dm.messages()),
  };
}

function roomPlace({ tg, bot, ann }: TestBridge, mark: string): Place {
  const forum = tg.forum({ title: `Room ${mark}`, members: [ann, bot], admins: [bot] });
  return {
    to: String(forum.id),
    sigil: "/",
    says: async (text) => void forum.from(ann).says(text, { mention: bot }),
    saysInThread: async (text) => {
      // Where there are two, people write in the one that is used.
      const topic = forum.topics().at(-1);
      if (topic === undefined) throw new Error(`${mark}: there is no topic`);
      topic.from(ann).says(text);
    },
    answers: async () => [
      ...byBot(forum.messages()),
      ...forum.topics().flatMap((topic) => byBot(topic.messages()).map((text) => `thread: ${text}`)),
    ],
  };
}

/** That a topic was made is a message without words. */
function byBot(messages: readonly TelegramMessage[]): readonly string[] {
  return messages
    .filter((message) => message.from?.is_bot === true && message.forum_topic_created === undefined)
    .map((message) => named(message.text ?? message.caption ?? ""));
}
