import * as webApi from "@slack/web-api";
import type { Logger } from "../../src/core/runtime.ts";

export type SlackWeb = webApi.WebClient;

/** A call without an answer for so long is given up; what became of it is unknown then (DL-3). */
const CALL_MS = 20_000;

/**
 * Options for every client of the library. It neither retries nor waits for a 429: all waiting is the outbox's (DL-4). Its
 * own words go to the debug log: everything worth more is reported by whoever made the call.
 */
export function webOptions(apiUrl: string, log: Logger): webApi.WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_MS,
    logger: quietLogger(log),
  };
}

export function openWeb(apiUrl: string, token: string, log: Logger): SlackWeb {
  return new webApi.WebClient(token, webOptions(apiUrl, log));
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
