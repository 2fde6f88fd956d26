import { compareIds } from "../../../adapters/discord/address.ts";
import { create } from "../../../adapters/discord/index.ts";
import { adapterContract, type Breakage, type Said } from "../../contracts/adapter.ts";
import { type IntakeHarness, intakeContract } from "../../contracts/adapter-intake.ts";
import type { Bot } from "../../support/emulators/discord/accounts.ts";
import type { Conversation } from "../../support/emulators/discord/conversation.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { FaultKind } from "../../support/emulators/discord/faults.ts";
import { FakeHost } from "../../support/fake-host.ts";
import { openTestStore } from "../../support/test-store.ts";
import { account, routeTo } from "./host.ts";

const FAULTS: Readonly<Record<Exclude<Breakage, "formatting">, FaultKind>> = {
  outage: { kind: "cutBefore" },
  rate_limit: { kind: "429", retryAfter: 7 },
};

/** A host whose durable values a test can read at once. */
class ReadableHost extends FakeHost {
  readonly values = new Map<string, string>();
  override readonly state = {
    get: async (key: string) => this.values.get(key) ?? null,
    set: async (key: string, value: string) => {
      this.values.set(key, value);
    },
  };
}

async function make(): Promise<IntakeHarness> {
  const dc = await startDiscordEmulator();
  const test = await openTestStore();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Work", members: [ann, bot] });
  const channel = guild.text("general");
  const thread = channel.thread("Deploys", { by: ann });
  const closed = guild.text("closed");
  closed.deletes();
  // What was said before the account's first start is history; what is said from now on is not.
  test.clock.advance(Date.now() + 1 - test.clock.now());
  const host = new ReadableHost({ channel: "discord", test });
  return {
    adapter: create(account({ own: { token: bot.token, apiUrl: dc.apiUrl } })),
    host,
    conversation: routeTo(channel.id),
    thread: routeTo(channel.id, thread.id),
    gone: routeTo(closed.id),
    personSays: async (text, where) => {
      const place =
        typeof where === "object" ? channel.inThread(where.threadId ?? "") : where === "thread" ? thread : channel;
      return said({ dc, bot, host }, place.from(ann), text);
    },
    deleteThread: async (made) => channel.inThread(made.threadId ?? "").deletes(),
    seen: async (route) =>
      dc
        .messages(route.threadId ?? route.to)
        .filter((message) => message.author.id === bot.id && (message.type === 0 || message.type === 19))
        .map((message) => ({ id: message.id, text: message.content })),
    breakNextSend: (kind) => kind !== "formatting" && dc.fails(FAULTS[kind], { method: "create_message" }).hits === 0,
    sendsMalformed: () => dc.inject(bot, "MESSAGE_CREATE", { id: "77", channel_id: channel.id, content: "nobody's" }),
    async [Symbol.asyncDispose]() {
      await dc.stop();
      await test.dispose();
    },
  };
}

adapterContract("Discord", make);
intakeContract("Discord", make);

interface Scene {
  readonly dc: DiscordEmulator;
  readonly bot: Bot;
  readonly host: ReadableHost;
}

/** Discord is told nothing; a message does not come again once the mark of its channel has reached it (IN-3). */
function said({ dc, bot, host }: Scene, place: Conversation, text: string): Said {
  const message = place.says(text);
  const acknowledged = (): boolean => {
    const mark = host.values.get(`seen:${bot.id}:${place.id}`);
    return mark !== undefined && compareIds(mark, message.id) >= 0;
  };
  const until = async (holds: () => boolean): Promise<void> => {
    const deadline = Date.now() + 3_000;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error("waited in vain");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const settled = until(acknowledged);
  // Not every test waits for it.
  settled.catch(() => undefined);
  return {
    acknowledged,
    settled,
    async again() {
      const before = host.offered.length;
      dc.inject(bot, "MESSAGE_CREATE", { ...message, guild_id: place.guildId });
      await until(() => host.offered.length > before);
    },
  };
}
