import { z } from "zod";
import { keyTexts } from "../../src/core/texts/platforms/accounts.ts";

export const DISCORD_API_URL = "https://discord.com/api";

const httpUrl = z.url({ protocol: /^https?$/, error: keyTexts.notWebAddress });

/** The keys of `channels.discord` that are Discord's own (CH-1). */
export const discordOwnShape = {
  /** The bot's token, from the developer portal (Bot, Reset Token). A `Bot ` in front is taken off. */
  token: z
    .string()
    .transform((token) => token.trim().replace(/^Bot\s+/i, ""))
    .pipe(z.string().regex(/^[\w.=-]{10,200}$/, { error: keyTexts.discordToken })),
  /** Another API server than Discord's, without the version at its end. Default `https://discord.com/api`. */
  apiUrl: httpUrl.optional(),
};

/** One account's own keys with their defaults. */
export const discordOwnSchema = z.strictObject(discordOwnShape).transform((own) => ({
  token: own.token,
  apiUrl: (own.apiUrl ?? DISCORD_API_URL).replace(/\/+$/, ""),
}));

export type DiscordConfig = z.infer<typeof discordOwnSchema>;
