import type { Api } from "grammy";
import type { ReactionTypeEmoji } from "grammy/types";
import type { Capabilities } from "../../../src/channel/capabilities.ts";
import { messageNumber } from "../address.ts";

/** The reactions Telegram lets bots put on messages (ReactionTypeEmoji). */
const ALLOWED: readonly string[] = [
  "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌",
  "🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓",
  "🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡",
  "🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀",
  "😡",
].flatMap((row) => row.split(" "));

export function readReaction(text: string): string | null {
  const plain = text.replaceAll("\ufe0f", "");
  return ALLOWED.find((one) => one.replaceAll("\ufe0f", "") === plain) ?? null;
}

/** The bot's own reaction on a message: setting it replaces what was there. Rejects when Telegram refuses it; nothing depends on it. */
export function reactionsOn(api: () => Api | null): NonNullable<Capabilities["reactions"]> {
  async function set(place: { readonly to: string; readonly messageId: string }, emoji: string | null): Promise<void> {
    const number = messageNumber(place.messageId);
    if (number === null) return;
    // Read by readReaction, which knows only Telegram's own.
    const reaction = emoji === null ? [] : [{ type: "emoji", emoji: emoji as ReactionTypeEmoji["emoji"] } as const];
    await api()?.setMessageReaction(place.to, number, reaction);
  }
  return {
    put: ({ route, messageId }, emoji) => set({ to: route.to, messageId }, emoji),
    remove: ({ route, messageId }) => set({ to: route.to, messageId }, null),
  };
}
