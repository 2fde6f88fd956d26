import type { BotRecord } from "../records.ts";
import type { GatewaySession } from "./session.ts";

export interface GatewayEvent {
  t: string;
  /** Intents of which the session needs one; 0: every session gets it. */
  intents: number;
  guildId: string | null;
  /** The event's data as this session may see it; undefined: not at all. */
  data: (session: GatewaySession) => unknown;
}

/** Sends an event to the sessions of some bots that asked for it. The data of each is a copy of its own. */
export function tell(bots: Iterable<BotRecord>, event: GatewayEvent): void {
  for (const bot of bots) {
    for (const session of bot.sessions) {
      if (event.intents !== 0 && (session.intents & event.intents) === 0) continue;
      if (!session.covers(event.guildId)) continue;
      const data = event.data(session);
      // A later change of the world must not change an event that waits for a resume.
      if (data !== undefined) session.dispatch(event.t, structuredClone(data));
    }
  }
}
