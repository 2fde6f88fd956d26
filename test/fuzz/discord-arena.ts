import { startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import type { Arena } from "./arena.ts";
import { shapesOf, withIds } from "./fixtures.ts";

/** The millisecond of an id is in its upper bits, since Discord's own year. */
function snowflake(at: number): string {
  return String((BigInt(Date.now() - Date.UTC(2015, 0, 1)) << 22n) | BigInt(at % 4_194_304));
}

/** Discord: a direct chat and a channel of a guild. */
export async function discordArena(): Promise<Arena> {
  const dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Work", members: [ann, bot] });
  const channel = guild.text("general");
  const [direct, there] = [ann.dm(bot), channel.from(ann)];
  const ofBot = (place: { messages(): readonly { content: string; author: { bot?: boolean } }[] }): string[] =>
    place
      .messages()
      .filter(({ author }) => author.bot === true)
      .map(({ content }) => content);
  return {
    name: "discord",
    config: {
      token: bot.token,
      apiUrl: dc.apiUrl,
      dmPolicy: "open",
      allowFrom: ["*"],
      guilds: { [guild.id]: { channels: { "*": { users: ["*"] } } } },
      pacing: false,
    },
    shapes: shapesOf("discord", {
      "100000000000000001": ann.id,
      "900000000000000001": bot.id,
      "300000000000000001": guild.id,
      "400000000000000001": channel.id,
    }),
    numbered: (event, at) => withIds(event, (id) => (typeof id === "string" ? snowflake(at) : id), "id"),
    ready: () => dc.connected(bot, { within: 60_000 }).then(() => undefined),
    inject: (event) => {
      const { t, d } = event as { readonly t?: unknown; readonly d?: unknown };
      dc.inject(bot, typeof t === "string" ? t : "MESSAGE_CREATE", d);
    },
    says: (text) => {
      direct.says(text);
      there.says(text, { mention: bot });
    },
    shown: () => [...ofBot(direct), ...ofBot(channel)],
    stop: () => dc.stop(),
  };
}
