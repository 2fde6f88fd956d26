import type { TelegramMessage } from "@gramio/types/objects";
import type { Person } from "../../support/emulators/telegram/accounts.ts";
import type { MethodName } from "../../support/emulators/telegram/method-names.ts";
import { startTestBridge, type TestBridge } from "../../support/test-bridge.ts";
import { named, type Place, SETTINGS, type Stage, type StageOptions } from "../stage.ts";

/** All others change what people see. */
const NO_SEND = /^(get|setWebhook|deleteWebhook|setMy|deleteMy|sendChatAction$)/;

export async function startTelegram(options: StageOptions): Promise<Stage> {
  const bridge = await startTestBridge({ ...options, config: SETTINGS });
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
    ready: async () => undefined,
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}

function dmPlace({ bot }: TestBridge, person: Person): Place {
  const dm = person.dm(bot);
  return {
    sigil: "/",
    says: async (text) => void dm.says(text),
    saysInThread: () => Promise.reject(new Error("this chat has no topics")),
    answers: async () => byBot(dm.messages()),
  };
}

function roomPlace({ tg, bot, ann }: TestBridge, mark: string): Place {
  const forum = tg.forum({ title: `Room ${mark}`, members: [ann, bot], admins: [bot] });
  return {
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
