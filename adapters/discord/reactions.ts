import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import type { Capabilities } from "../../src/channel/capabilities.ts";
import { targetOf } from "./address.ts";

const CUSTOM = /^<?a?:?(\w{2,32}:\d{15,21})>?$/;

/** An emoji as it is, or a server's own as `name:id`; also as Discord copies it, `<:name:id>`. */
export function readReaction(text: string): string | null {
  const custom = CUSTOM.exec(text)?.[1];
  if (custom !== undefined) return custom;
  return /^\p{RGI_Emoji}$/v.test(text) ? text : null;
}

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
