import { type Ends, ended, type FaultPlays, holdsBack, skewOf, swapsNeighbours, whileItLasts } from "../fault-model.ts";
import type { SlackEmulator } from "./emulator.ts";
import type { AppRecord } from "./records.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const SLOW_MS = 150;

function apps(sl: SlackEmulator): readonly AppRecord[] {
  return [...sl.world.apps.values()];
}

function distorts(sl: SlackEmulator, passes: (goes: () => void) => void): Ends {
  return ended(...apps(sl).map((app) => app.deliveries.distorts(passes)));
}

/** How Slack's faults are played over Socket Mode and the Web API. */
export const SLACK_PLAYS: FaultPlays<SlackEmulator> = {
  duplicate: {
    how: "acknowledgements are lost: the event comes again in a new envelope with `retry_attempt`",
    begins: (sl, { strength }) => {
      for (const app of apps(sl)) app.deliveries.losesAcks(strength * 2);
      return () => {
        for (const app of apps(sl)) app.deliveries.losesAcks(0);
      };
    },
  },
  reorder: {
    how: "of two events the later one's envelope comes first",
    begins: (sl) => {
      const { passes, ends } = swapsNeighbours();
      return ended(distorts(sl, passes), ends);
    },
  },
  delay: {
    how: "envelopes are kept back; requests are carried out and answered late",
    begins: (sl, { strength }) => {
      const { passes, ends } = holdsBack();
      const slow = sl.fails({ kind: "slow", ms: SLOW_MS * strength }, { times: ALWAYS });
      return ended(slow.off, distorts(sl, passes), ends);
    },
  },
  cut_before: {
    how: "every socket is cut; the next requests are read, not carried out, and their connections end",
    begins: (sl, { strength }) => {
      for (const app of apps(sl)) app.sockets.cut();
      return sl.fails({ kind: "cutBefore" }, { times: strength }).off;
    },
  },
  cut_after: {
    how: "the next requests are carried out, and their connections end without the answer",
    begins: (sl, { strength }) => sl.fails({ kind: "cutAfter" }, { times: strength }).off,
  },
  half_open: {
    how: "sockets stand and bring nothing, no ping is answered; requests are never answered, at strength 3 they are carried out all the same",
    begins: (sl, { strength }) => {
      for (const app of apps(sl)) for (const socket of app.sockets.connections) socket.silences();
      const { over, ends } = whileItLasts();
      const what = { kind: "stalls", until: over, carriedOutFirst: strength === 3 } as const;
      return ended(sl.fails(what, { times: ALWAYS }).off, ends);
    },
  },
  clock_skew: {
    how: "`ts` of messages (it never goes back) and the header `Date` are off",
    begins: (sl, dose) => {
      sl.skews(skewOf(dose));
      return () => sl.skews(0);
    },
  },
  rate_limit_storm: {
    how: "429 with `Retry-After`: for chat.postMessage at strength 1, for every method from strength 2 on",
    begins: (sl, { strength }) => {
      const storm = { kind: "429", retryAfter: 1 } as const;
      return sl.fails(storm, { times: ALWAYS, ...(strength === 1 ? { method: "chat.postMessage" } : {}) }).off;
    },
  },
  server_error: {
    how: "503 for every request",
    begins: (sl) => sl.fails({ kind: "5xx" }, { times: ALWAYS }).off,
  },
  partial_batch: {
    how: "pages of a history have two messages, whatever is asked for, and `has_more`; every socket is told to make a new one",
    begins: (sl) => {
      sl.world.mostPerPage = 2;
      for (const app of apps(sl)) for (const socket of app.sockets.connections) socket.disconnects("refresh_requested");
      return () => {
        sl.world.mostPerPage = 999;
      };
    },
  },
  down: {
    how: "the port is closed and every socket cut; events wait; people go on writing",
    begins: async (sl) => {
      await sl.stop();
      return () => sl.start();
    },
  },
};
