import { type Ends, ended, type FaultPlays, holdsBack, skewOf, swapsNeighbours, whileItLasts } from "../fault-model.ts";
import type { DiscordEmulator } from "./emulator.ts";
import type { BotRecord } from "./records.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const SLOW_MS = 150;

function bots(dc: DiscordEmulator): readonly BotRecord[] {
  return [...dc.world.bots.values()];
}

/** Only what people say; a session's own life goes on in order. */
function distorts(dc: DiscordEmulator, passes: (goes: () => void) => void): Ends {
  const ends = bots(dc).map((bot) => {
    const distortion = (event: string, goes: () => void): void => (event === "MESSAGE_CREATE" ? passes(goes) : goes());
    bot.distortions.add(distortion);
    return () => void bot.distortions.delete(distortion);
  });
  return ended(...ends);
}

/** How Discord's faults are played at its gateway and its REST API. */
export const DISCORD_PLAYS: FaultPlays<DiscordEmulator> = {
  duplicate: {
    how: "the gateway dispatches each new message twice, under two numbers",
    begins: (dc) =>
      distorts(dc, (goes) => {
        goes();
        goes();
      }),
  },
  reorder: {
    how: "the gateway dispatches of two new messages the later one first",
    begins: (dc) => {
      const { passes, ends } = swapsNeighbours();
      return ended(distorts(dc, passes), ends);
    },
  },
  delay: {
    how: "the gateway keeps new messages back; REST requests are carried out and answered late",
    begins: (dc, { strength }) => {
      const { passes, ends } = holdsBack();
      const slow = dc.fails({ kind: "slow", ms: SLOW_MS * strength }, { times: ALWAYS });
      return ended(slow.off, distorts(dc, passes), ends);
    },
  },
  cut_before: {
    how: "the gateway's connection is cut; the next REST requests are read, not carried out, and their connections end",
    begins: (dc, { strength }) => {
      for (const bot of bots(dc)) for (const session of bot.sessions) session.wire?.cut();
      return dc.fails({ kind: "cutBefore" }, { times: strength }).off;
    },
  },
  cut_after: {
    how: "the next REST requests are carried out, and their connections end without the answer",
    begins: (dc, { strength }) => dc.fails({ kind: "cutAfter" }, { times: strength }).off,
  },
  half_open: {
    how: "the gateway acknowledges no heartbeat and sends nothing (from strength 2 on it reads nothing either); REST requests are never answered, at strength 3 they are carried out all the same",
    begins: (dc, { strength }) => {
      for (const bot of bots(dc)) for (const session of bot.sessions) session.wire?.zombify(strength > 1);
      const { over, ends } = whileItLasts();
      const what = { kind: "stalls", until: over, carriedOutFirst: strength === 3 } as const;
      return ended(dc.fails(what, { times: ALWAYS }).off, ends);
    },
  },
  clock_skew: {
    how: "ids and timestamps of messages and the header `Date` are off",
    begins: (dc, dose) => {
      dc.skews(skewOf(dose));
      return () => dc.skews(0);
    },
  },
  rate_limit_storm: {
    how: "429 for every REST request: per route at strength 1, `global` from strength 2 on",
    begins: (dc, { strength }) => dc.fails({ kind: "429", retryAfter: 1, global: strength > 1 }, { times: ALWAYS }).off,
  },
  server_error: {
    how: "502 for every REST request; from strength 2 on for new gateway connections too",
    begins: (dc, { strength }) => {
      const faults = [dc.fails({ kind: "5xx" }, { times: ALWAYS })];
      if (strength > 1) faults.push(dc.fails({ kind: "5xx" }, { times: ALWAYS, method: "gateway_connect" }));
      return ended(...faults.map((fault) => fault.off));
    },
  },
  partial_batch: {
    how: "the gateway asks to reconnect, and the next resumes are closed in the middle of what they bring again",
    begins: (dc, { strength }) => {
      for (const bot of bots(dc)) {
        bot.partialReplays = strength;
        for (const session of bot.sessions) session.wire?.send({ op: 7, d: null });
      }
      return () => {
        for (const bot of bots(dc)) bot.partialReplays = 0;
      };
    },
  },
  down: {
    how: "the port is closed and every connection cut; sessions can be resumed; people go on writing",
    begins: async (dc) => {
      await dc.stop();
      return () => dc.start();
    },
  },
};
