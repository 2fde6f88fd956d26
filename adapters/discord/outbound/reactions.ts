import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import type { Capabilities } from "../../../src/channel/capabilities.ts";
import { targetOf } from "../address.ts";

/** The bot's own reaction on a message. Rejects when Discord refuses it; nothing depends on it. */
export function reactionsOn(rest: () => REST | null): NonNullable<Capabilities["reactions"]> {
  return {
    async put({ route, messageId }, emoji) {
      await rest()?.put(Routes.channelMessageOwnReaction(targetOf(route), messageId, encodeURIComponent(emoji)));
    },
    async remove({ route, messageId }, emoji) {
      await rest()?.delete(Routes.channelMessageOwnReaction(targetOf(route), messageId, encodeURIComponent(emoji)));
    },
  };
}
