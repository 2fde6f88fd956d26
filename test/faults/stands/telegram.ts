import { playable } from "../../support/emulators/fault-model.ts";
import type { TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { TELEGRAM_PLAYS } from "../../support/emulators/telegram/fault-plays.ts";
import { type Place, textOf } from "../../support/emulators/telegram/place.ts";
import type { World } from "../../support/test-bridge.ts";
import { begins } from "../begins.ts";
import { isRoom, type Stand, type Talk, type UnansweredSend } from "../stand.ts";

/** Telegram with one bot; the emulator is the one that every test bridge has, and stops with it. */
export function telegramStand({ tg, bot }: Pick<World, "tg" | "bot">): Stand {
  return {
    channel: "telegram",
    section: {},
    faults: playable(TELEGRAM_PLAYS),
    begins: (fault, dose) => begins(TELEGRAM_PLAYS, fault, tg, dose),
    ready: () => tg.caughtUp(bot),
    talk: async (name, index) => {
      const person = tg.user({ name: `Person ${name}` });
      if (!isRoom(index)) return talkIn(person.dm(bot), (text) => person.dm(bot).says(text));
      const group = tg.group({ title: `Room ${name}`, members: [person, bot] });
      return talkIn(group, (text) => group.from(person).says(text, { mention: bot }));
    },
    isQuiet: () => bot.pendingUpdates === 0,
    mayComeLate: () => false,
    unanswered: () => unansweredSends(tg),
    stop: async () => undefined,
  };
}

function talkIn(place: Place, says: (text: string) => unknown): Talk {
  return {
    to: String(place.id),
    says: (text) => void says(text),
    reads: async () =>
      place
        .messages()
        .filter(({ from }) => from?.is_bot === true)
        .map(textOf),
  };
}

function unansweredSends(tg: TelegramEmulator): readonly UnansweredSend[] {
  return tg
    .calls("sendMessage")
    .filter(
      ({ outcome, result, answeredAt }) => result !== undefined && (outcome === "cut" || answeredAt === undefined),
    )
    .map(({ params }) => ({ to: String(params.chat_id), text: String(params.text) }));
}
