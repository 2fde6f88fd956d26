import { createHash, timingSafeEqual } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";
import type { Clock } from "../core/runtime.ts";
import { pause } from "../core/time.ts";

const MINUTE_MS = 60_000;
const FREE_PER_MINUTE = 10;
const WAITING_PER_ADDRESS = 5;
/** Beyond it all new addresses share one count, so that the counts cannot grow without end. */
const MOST_ADDRESSES = 10_000;
const PAUSE_MS = 1_000;

interface Tries {
  /** When wrong ones were made, oldest first; at most `FREE_PER_MINUTE`. */
  wrongAt: number[];
  waiting: number;
  last: Promise<void>;
}

export type Verdict = "right" | "wrong" | "refused";

export interface GuessLimit {
  /** Looks whether what an address sent is the token; `refused`: too many are waiting, so it was not looked at. */
  check(address: string, isRight: () => boolean): Promise<Verdict>;
}

/**
 * Slows down guessing without locking people out (FC-410): after ten wrong tokens in a minute an address gets one look a
 * second, one after the other. The right token is always taken when it is looked at, and other addresses notice nothing.
 */
export function createGuessLimit(clock: Clock, pauseMs: number = PAUSE_MS): GuessLimit {
  const byAddress = new Map<string, Tries>();

  function triesOf(address: string): Tries {
    const known = byAddress.get(address);
    if (known !== undefined) return known;
    for (const [other, tries] of byAddress) {
      if (tries.waiting === 0 && !isRecent(tries.wrongAt.at(-1))) byAddress.delete(other);
      if (byAddress.size < MOST_ADDRESSES) break;
    }
    const key = byAddress.size < MOST_ADDRESSES ? address : "";
    const made = byAddress.get(key) ?? { wrongAt: [], waiting: 0, last: Promise.resolve() };
    byAddress.set(key, made);
    return made;
  }

  const isRecent = (at: number | undefined): boolean => at !== undefined && at > clock.now() - MINUTE_MS;

  return {
    check: async (address, isRight) => {
      const tries = triesOf(address);
      tries.wrongAt = tries.wrongAt.filter(isRecent);
      if (tries.wrongAt.length >= FREE_PER_MINUTE) {
        if (tries.waiting >= WAITING_PER_ADDRESS) return "refused";
        tries.waiting += 1;
        tries.last = tries.last.then(() => pause(pauseMs, null));
        await tries.last;
        tries.waiting -= 1;
      }
      if (isRight()) return "right";
      tries.wrongAt = [...tries.wrongAt, clock.now()].slice(-FREE_PER_MINUTE);
      return "wrong";
    },
  };
}

const COOKIE = "switchyard";
const COOKIE_LIFE_SECONDS = 30 * 24 * 3600;

/** The configured token as it is compared: only its digests are kept here. */
export interface TokenCheck {
  matches(token: string): boolean;
  matchesCookie(value: string): boolean;
  /** The `Set-Cookie` value of a sign-in. A cookie never contains the token itself. */
  cookie(secure: boolean): string;
  /** The `Set-Cookie` value of a sign-out. */
  noCookie(): string;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Compares in constant time (OP-6): it compares digests, which have equal length. */
export function createTokenCheck(token: string): TokenCheck {
  const expected = digest(token);
  const cookieValue = digest(`switchyard-cookie:${token}`).toString("base64url");
  const expectedCookie = digest(cookieValue);
  return {
    matches: (sent) => timingSafeEqual(digest(sent), expected),
    matchesCookie: (sent) => timingSafeEqual(digest(sent), expectedCookie),
    cookie: (secure) =>
      serialize(COOKIE, cookieValue, {
        httpOnly: true,
        sameSite: "Strict",
        path: "/",
        maxAge: COOKIE_LIFE_SECONDS,
        secure,
      }),
    noCookie: () => serialize(COOKIE, "", { httpOnly: true, sameSite: "Strict", path: "/", maxAge: 0 }),
  };
}

/** What a request shows to prove that its sender is the operator: a token in a header, else the cookie of a sign-in. */
export function bearerOf(headers: Headers): string | null {
  return (
    headers
      .get("authorization")
      ?.match(/^Bearer (.+)$/i)?.[1]
      ?.trim() ?? null
  );
}

/** A cookie has 256 random bits, which cannot be guessed; it is never slowed down. */
export function hasSignedIn(headers: Headers, token: TokenCheck): boolean {
  const cookies = headers.get("cookie");
  const sent = cookies === null ? undefined : parse(cookies, COOKIE)[COOKIE];
  return sent !== undefined && token.matchesCookie(sent);
}
