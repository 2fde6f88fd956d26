import { startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { DISCORD_PLAYS } from "../../support/emulators/discord/fault-plays.ts";
import type { Place } from "../../support/emulators/discord/place.ts";
import { playable } from "../../support/emulators/fault-model.ts";
import { begins } from "../begins.ts";
import { isRoom, type Stand, type Talk } from "../stand.ts";

/** Shortened: a connection that says nothing is noticed by a missing acknowledgement. */
const HEARTBEAT_MS = 1_500;

/** Discord with one bot in one guild. */
export async function discordStand(): Promise<Stand> {
  const dc = await startDiscordEmulator({ heartbeatMs: HEARTBEAT_MS });
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const owner = dc.user({ name: "Owner" });
  const guild = dc.guild({ name: "Work", members: [owner, bot] });
  return {
    channel: "discord",
    section: {
      token: bot.token,
      apiUrl: dc.apiUrl,
      dmPolicy: "open",
      allowFrom: ["*"],
      groupPolicy: "open",
      pacing: false,
    },
    faults: playable(DISCORD_PLAYS),
    begins: (fault, dose) => begins(DISCORD_PLAYS, fault, dc, dose),
    ready: () => dc.connected(bot),
    talk: async (name, index) => {
      if (!isRoom(index)) {
        const dm = dc.user({ name: `Person ${name}` }).dm(bot);
        return talkIn(dm, (text) => dm.says(text));
      }
      const channel = guild.text(`room-${name}`);
      return talkIn(channel, (text) => channel.from(owner).says(text, { mention: bot }));
    },
    isQuiet: () => bot.isConnected,
    mayComeLate: () => false,
    unanswered: () => [],
    stop: () => dc.stop(),
  };
}

function talkIn(place: Place, says: (text: string) => unknown): Talk {
  return {
    to: place.channel.id,
    says: (text) => void says(text),
    reads: async () =>
      place
        .messages()
        .filter(({ author }) => author.bot === true)
        .map(({ content }) => content),
  };
}
