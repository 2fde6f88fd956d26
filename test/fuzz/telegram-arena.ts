import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import { textOf } from "../support/emulators/telegram/place.ts";
import type { Arena } from "./arena.ts";
import { shapesOf, withIds } from "./fixtures.ts";

/** Beyond what the chats themselves reach. */
const FIRST_MESSAGE = 1_000_000;

/** Telegram: a direct chat and a group. */
export async function telegramArena(): Promise<Arena> {
  const tg = await startTelegramEmulator();
  const bot = tg.bot({ username: "switchy_bot", canReadAllGroupMessages: true });
  const ann = tg.user({ name: "Ann" });
  const group = tg.group({ title: "Work", members: [ann, bot], supergroup: true });
  const [direct, there] = [ann.dm(bot), group.from(ann)];
  const now = String(Math.floor(Date.now() / 1000));
  return {
    name: "telegram",
    config: {
      botToken: bot.token,
      apiRoot: tg.apiRoot,
      dmPolicy: "open",
      allowFrom: ["*"],
      groupPolicy: "open",
      pacing: false,
    },
    // The basic group stays a stranger: it moves to another id, and ours must not.
    shapes: shapesOf("telegram", {
      "111000111": String(ann.id),
      "7000000001": String(bot.id),
      "-1002000000111": String(group.id),
      "-1002000000222": String(group.id),
      "1790000000": now,
    }),
    numbered: (event, at) => withIds(event, (id) => (typeof id === "number" ? FIRST_MESSAGE + at : id), "message_id"),
    ready: () => tg.caughtUp(bot, { within: 60_000 }).then(() => undefined),
    inject: (event) => {
      const update: Record<string, unknown> =
        typeof event === "object" && event !== null && !Array.isArray(event) ? { ...event } : { event };
      // Its number is what getting updates itself turns on: without a true one Telegram would be broken, not the event odd.
      delete update.update_id;
      tg.inject(bot, update);
    },
    says: (text) => {
      direct.says(text);
      there.says(text, { mention: bot });
    },
    shown: () => [...tg.messages(direct), ...tg.messages(group)].filter(({ from }) => from?.id === bot.id).map(textOf),
    stop: () => tg.stop(),
  };
}
