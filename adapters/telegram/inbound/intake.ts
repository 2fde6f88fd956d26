import { setTimeout as sleep } from "node:timers/promises";
import type { Update } from "grammy/types";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { assertNever } from "../../../src/core/runtime.ts";
import { type BotFacts, CHANNEL } from "../address.ts";
import { readUpdate, type TelegramFact } from "./inbound.ts";

/** A poison event is tried so often, then parked (IN-3). */
const TRIES = 3;
const BETWEEN_TRIES_MS = 100;

export interface Intake {
  /**
   * Resolves when the update is stored, parked, or known to need neither: only then it may be confirmed to Telegram (IN-3).
   * Rejects when it is none of these: it must come again.
   */
  take(update: Update): Promise<void>;
  /** Whether the last word of this chat was that it is a forum; a chat action to its General topic needs that (DL-12). */
  isForum(chatId: string): boolean;
}

export interface IntakeParts {
  readonly host: AdapterHost;
  readonly bot: BotFacts;
  readonly commandNames: ReadonlyMap<string, string>;
  /** Stops the spinner on a pressed button; awaited by nobody. */
  readonly answerCallback: (queryId: string) => void;
}

export function createIntake({ host, bot, commandNames, answerCallback }: IntakeParts): Intake {
  const forums = new Set<string>();

  async function carryOut(fact: TelegramFact): Promise<void> {
    switch (fact.kind) {
      case "event":
        await host.accept(fact.event);
        return;
      case "moved":
        await host.conversationMoved({ from: fact.from, to: fact.to });
        return;
      case "membership":
        host.log.info(
          { chat: fact.chat },
          fact.present ? "the bot was let into a chat" : "the bot was removed or blocked",
        );
        if (fact.event !== null) await host.accept(fact.event);
        return;
      case "nothing":
        host.log.debug({ why: fact.why }, "an update starts nothing");
        return;
      default:
        return assertNever(fact);
    }
  }

  async function attempt(update: Update): Promise<void> {
    await carryOut(readUpdate(update, { bot, accountId: host.accountId, now: host.clock.now(), commandNames }));
  }

  /** The identity an event would have; of an update that cannot even be read, its own number. */
  function identityFor(update: Update): string {
    try {
      const fact = readUpdate(update, { bot, accountId: host.accountId, now: host.clock.now(), commandNames });
      if ((fact.kind === "event" || fact.kind === "membership") && fact.event !== null)
        return identityKey(fact.event.identity);
    } catch (error) {
      host.log.debug({ err: error, update: update.update_id }, "an update cannot be read");
    }
    return [CHANNEL, bot.id, "update", String(update.update_id)].map(encodeURIComponent).join("/");
  }

  return {
    isForum: (chatId) => forums.has(chatId),
    async take(update) {
      const chat = update.message?.chat;
      if (chat?.is_forum === true) forums.add(String(chat.id));
      // Nothing is known of the update yet: whatever it is, it must come to the tries below, or it would block for ever.
      const pressed = update.callback_query?.id;
      if (pressed !== undefined) answerCallback(pressed);
      for (let failures = 1; ; failures += 1) {
        try {
          return await attempt(update);
        } catch (error) {
          // The store is away, nothing is wrong with the event: it waits, and is never parked.
          if (error instanceof StoreError && error.retryable) throw error;
          host.log.warn({ err: error, update: update.update_id, failures }, "an update could not be taken in");
          if (failures === TRIES) {
            const reason = error instanceof Error ? error.message : String(error);
            await host.park({ identity: identityFor(update), error: reason, raw: JSON.stringify(update) });
            return;
          }
          await sleep(BETWEEN_TRIES_MS);
        }
      }
    },
  };
}

/** What an update's order is kept by. Updates of different chats may be stored side by side. */
export function orderKey(update: Update): string {
  const chat =
    update.message?.chat ??
    update.edited_message?.chat ??
    update.channel_post?.chat ??
    update.edited_channel_post?.chat ??
    update.message_reaction?.chat ??
    update.my_chat_member?.chat ??
    update.callback_query?.message?.chat;
  return chat === undefined ? "" : String(chat.id);
}
