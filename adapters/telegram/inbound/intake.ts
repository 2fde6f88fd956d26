import type { Update } from "grammy/types";
import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Health } from "../../../src/channel/intake.ts";
import { createIntake } from "../../../src/channel/intake.ts";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { assertNever } from "../../../src/core/runtime.ts";
import { type BotFacts, CHANNEL } from "../address.ts";
import type { TelegramFact } from "./gestures.ts";
import { readUpdate } from "./inbound.ts";

/** What an update is for the shared intake. */
export interface TelegramIntake {
  /**
   * Resolves when the update is stored, parked, or known to need neither: only then it may be confirmed to Telegram (IN-3).
   * Updates of one chat are stored in the order they came. Rejects when the account was stopped before that.
   */
  take(update: Update): Promise<void>;
  /** Whether the newest message of this chat came from a forum; a chat action to its General topic needs that (DL-12). */
  isForum(chatId: string): boolean;
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>;
}

export function createTelegramIntake(parts: {
  readonly host: AdapterHost;
  readonly bot: BotFacts;
  readonly commandNames: ReadonlyMap<string, string>;
  readonly health: Health;
  readonly signal: AbortSignal;
  /** Stops the spinner on a pressed button; awaited by nobody. */
  readonly answerCallback: (queryId: string) => void;
}): TelegramIntake {
  const { host, bot, commandNames, health, signal, answerCallback } = parts;
  const intake = createIntake({ channel: CHANNEL, botId: bot.id, host, health, signal });
  const forums = new Set<string>();

  const read = (update: Update): TelegramFact =>
    readUpdate(update, { bot, accountId: host.accountId, now: host.platformClock.now(), commandNames });

  async function store(update: Update): Promise<void> {
    const fact = read(update);
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
          fact.present ? "the bot was added to a chat" : "the bot was removed or blocked",
        );
        if (fact.event !== null) await host.accept(fact.event);
        return;
      case "nothing":
        host.log.debug({ why: fact.why }, "update ignored");
        if (fact.event !== undefined) await host.accept(fact.event);
        return;
      default:
        return assertNever(fact);
    }
  }

  async function identity(update: Update): Promise<string | null> {
    const fact = read(update);
    const event = fact.kind === "event" || fact.kind === "membership" ? fact.event : null;
    return event === null ? null : identityKey(event.identity);
  }

  return {
    isForum: (chatId) => forums.has(chatId),
    idle: intake.idle,
    async take(update) {
      const chat = update.message?.chat;
      if (chat?.is_forum === true) forums.add(String(chat.id));
      // Nothing is known of the update yet. Even one that cannot be read must reach the tries of the intake, or it would block.
      const pressed = update.callback_query?.id;
      if (pressed !== undefined) answerCallback(pressed);
      const id = String(update.update_id);
      const job = async (): Promise<void> => {
        await intake.take({ id, raw: update, store: () => store(update), identity: () => identity(update) });
      };
      await intake.inOrder(orderKey(update), job, id);
    },
  };
}

/** Updates of different chats may be stored side by side. */
function orderKey(update: Update): string {
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
