import { create } from "../../../adapters/telegram/index.ts";
import { adapterContract, type Breakage, type Said } from "../../contracts/adapter.ts";
import { type IntakeHarness, intakeContract } from "../../contracts/adapter-intake.ts";
import type { Bot } from "../../support/emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import type { FaultKind } from "../../support/emulators/telegram/faults.ts";
import { FakeHost } from "../../support/fake-host.ts";
import { openTestStore } from "../../support/test-store.ts";
import { account, routeTo } from "./host.ts";

const FAULTS: Readonly<Record<Breakage, FaultKind>> = {
  outage: { kind: "cutBefore" },
  rate_limit: { kind: "429", retryAfter: 7 },
  formatting: { kind: "refusal", code: 400, description: "Bad Request: can't parse entities: unsupported start tag" },
};

async function make(): Promise<IntakeHarness> {
  const tg = await startTelegramEmulator();
  const test = await openTestStore();
  const bot = tg.bot({ username: "switchy_bot", canReadAllGroupMessages: true });
  const ann = tg.user({ name: "Ann" });
  const ben = tg.user({ name: "Ben" });
  ben.dm(bot);
  ben.blocks(bot);
  const forum = tg.forum({ title: "Forum", members: [ann, bot], admins: [bot] });
  const topic = forum.topic("Deploys");
  const host = new FakeHost({ channel: "telegram", test });
  return {
    adapter: create(account({ own: { botToken: bot.token, apiRoot: tg.apiRoot } })),
    host,
    conversation: routeTo(forum.id),
    thread: routeTo(forum.id, topic.threadId),
    gone: routeTo(ben.id),
    personSays: async (text, where) => {
      const place =
        typeof where === "object" ? forum.inTopic(Number(where.threadId)) : where === "thread" ? topic : forum;
      return said(tg, bot, place.from(ann).says(text));
    },
    deleteThread: async (thread) => forum.inTopic(Number(thread.threadId)).deletes(),
    seen: async (route) =>
      tg
        .messages(Number(route.to), route.threadId === null ? null : Number(route.threadId))
        .filter((message) => message.from?.id === bot.id && message.forum_topic_created === undefined)
        .map((message) => ({ id: String(message.message_id), text: message.text ?? message.caption ?? "" })),
    breakNextSend: (kind) => tg.fails(FAULTS[kind], { method: "sendMessage" }).hits === 0,
    sendsMalformed: () => tg.inject(bot, { message: { message_id: 3, date: 1, text: "no chat at all" } }),
    async [Symbol.asyncDispose]() {
      await tg.stop();
      await test.dispose();
    },
  };
}

adapterContract("Telegram", make);
intakeContract("Telegram", make);

/** One written message, followed by the update that carries it. */
function said(tg: TelegramEmulator, bot: Bot, message: object): Said {
  const update = bot.record.updates.pending.at(-1);
  if (update === undefined) throw new Error("the bot heard nothing");
  const acknowledged = (): boolean => !bot.record.updates.pending.some(({ id }) => id === update.id);
  const until = () => tg.until(() => (acknowledged() ? true : undefined), { within: 3_000 });
  const settled = until().then(() => undefined);
  // Not every test waits for it.
  settled.catch(() => undefined);
  return {
    acknowledged,
    settled,
    async again() {
      tg.inject(bot, { update_id: update.id, message });
      await until();
    },
  };
}
