import { Client, GatewayIntentBits, Partials } from "discord.js";
import type { Bot } from "./emulators/discord/accounts.ts";
import type { DiscordEmulator } from "./emulators/discord/emulator.ts";

/** What a bot that talks in guilds and direct messages asks for. */
export const TALKING_INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

/** A discord.js client of the emulator, not logged in. It fails at once instead of waiting for a rate limit. */
export function clientOf(dc: DiscordEmulator, intents: readonly GatewayIntentBits[] = TALKING_INTENTS): Client {
  return new Client({
    intents: [...intents],
    partials: [Partials.Channel, Partials.Message, Partials.Reaction],
    rest: { api: dc.apiUrl, rejectOnRateLimit: () => true, retries: 0 },
  });
}

/** Logs a client in and waits until it is ready. */
export async function logIn(client: Client, bot: Bot): Promise<Client<true>> {
  const ready = new Promise<Client<true>>((resolve) => client.once("clientReady", resolve));
  await client.login(bot.token);
  return ready;
}
