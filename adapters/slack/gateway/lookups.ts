import * as webApi from "@slack/web-api";
import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import type { Directory, KnownPerson, KnownPlace } from "../address.ts";
import { readRefusal } from "../errors.ts";
import { hasUnnamedGroup, mentionedIn, placesIn } from "../inbound/text-in.ts";

/** Slack gives 3 s for an acknowledgement; a name must not use them up (IN-3). */
const PATIENCE_MS = 1_000;
/** After a look-up that failed, the next one for the same id. */
const AGAIN_MS = 60_000;
const MOST_KNOWN = 5_000;
const MOST_MENTIONED = 10;

export interface Lookups {
  readonly directory: Directory;
  /** Looks up everything an event mentions that is not known yet. Never rejects and never takes long. */
  prepare(facts: {
    readonly channel: string | null;
    readonly people: readonly string[];
    readonly text: string;
  }): Promise<void>;
  addAssistantThread(channel: string, threadTs: string): void;
}

/** Names of people and kinds of conversations: events carry ids only. Kept for the life of a connection. */
export function createLookups(web: SlackWeb, log: Logger, now: () => number): Lookups {
  const people = new Map<string, KnownPerson>();
  const places = new Map<string, KnownPlace>();
  const groups = new Map<string, string>();
  const assistantThreads = new Set<string>();
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<void> }>();

  function once(id: string, look: () => Promise<void>): Promise<void> {
    const before = asked.get(id);
    if (before !== undefined && now() - before.at < AGAIN_MS) return before.answer;
    if (asked.size > MOST_KNOWN) asked.clear();
    const answer = look().catch((error: unknown) => {
      log.debug({ id, reason: readRefusal(error).reason }, "Slack did not say who or what this is");
    });
    asked.set(id, { at: now(), answer });
    return answer;
  }

  async function person(id: string): Promise<void> {
    if (people.has(id) || !/^[UW]/.test(id)) return;
    await once(id, async () => {
      const { user } = await web.users.info({ user: id });
      if (people.size > MOST_KNOWN) people.clear();
      const shown = [user?.profile?.display_name, user?.profile?.real_name, user?.real_name, user?.name];
      const name = shown.find((one) => one !== undefined && one !== "") ?? id;
      people.set(id, { name, username: user?.name ?? null, isBot: user?.is_bot === true });
    });
  }

  async function place(id: string): Promise<void> {
    if (places.has(id) || id.startsWith("D")) return;
    await once(id, async () => {
      const { channel } = await web.conversations.info({ channel: id });
      if (places.size > MOST_KNOWN) places.clear();
      const kind = channel?.is_im === true ? "im" : channel?.is_mpim === true ? "mpim" : "channel";
      places.set(id, { kind, name: channel?.name ?? null });
    });
  }

  /** All at once: Slack has no method for one of them. */
  async function userGroups(): Promise<void> {
    await once("user groups", async () => {
      const { usergroups = [] } = await web.usergroups.list();
      for (const { id, handle } of usergroups) if (id !== undefined && handle !== undefined) groups.set(id, handle);
    });
  }

  return {
    directory: { people, places, groups, assistantThreads },
    async prepare(facts) {
      const ids = [...new Set([...facts.people, ...mentionedIn(facts.text).slice(0, MOST_MENTIONED)])];
      const channels = new Set([...placesIn(facts.text).slice(0, MOST_MENTIONED), facts.channel ?? ""]);
      channels.delete("");
      const looks = [...ids.map(person), ...[...channels].map(place)];
      if (hasUnnamedGroup(facts.text)) looks.push(userGroups());
      await within(PATIENCE_MS, Promise.all(looks));
    },
    addAssistantThread: (channel, threadTs) => void assistantThreads.add(`${channel}/${threadTs}`),
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}

export type SlackWeb = webApi.WebClient;

/** A call without an answer for this long is given up; its outcome is then unknown (DL-3). */
const CALL_MS = 20_000;

export interface ClientParts {
  readonly log: Logger;
  /** Told the `Date` header of every answer (FC-320). */
  readonly hearDate: PlatformClock["heard"];
}

/**
 * Options for every client of the library. It neither retries nor waits for a 429: all waiting is the outbox's (DL-4). Its
 * own words go to the debug log: the caller reports everything more important.
 */
export function webOptions(apiUrl: string, { log, hearDate }: ClientParts): webApi.WebClientOptions {
  return {
    fetch: async (...request) => {
      const response = await fetch(...request);
      hearDate(response.headers.get("date"));
      return response;
    },
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_MS,
    logger: quietLogger(log),
  };
}

export function openWeb(apiUrl: string, token: string, parts: ClientParts): SlackWeb {
  return new webApi.WebClient(token, webOptions(apiUrl, parts));
}

/** At its own debug level the library would log whole messages; so it is never asked to. */
export function quietLogger(log: Logger): webApi.Logger {
  const note = (...words: unknown[]): void => log.debug({ words: words.map(String) }, "Slack's client says");
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: note,
    error: note,
    setLevel: () => undefined,
    getLevel: () => webApi.LogLevel.ERROR,
    setName: () => undefined,
  };
}
