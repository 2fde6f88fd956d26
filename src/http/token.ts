import { createHash, timingSafeEqual } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";

const COOKIE = "switchyard";
const COOKIE_LIFE_SECONDS = 30 * 24 * 3600;

/** The configured token as it is compared: only its digests are kept here. */
export interface TokenCheck {
  matches(token: string): boolean;
  matchesCookie(value: string): boolean;
  /** The `Set-Cookie` value of a sign-in. The token itself never stands in a cookie. */
  cookie(secure: boolean): string;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Compares in constant time (OP-6): digests of equal length, whatever was sent. */
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

/** A cookie holds 256 bits that nobody guesses; it is never slowed down. */
export function hasSignedIn(headers: Headers, token: TokenCheck): boolean {
  const cookies = headers.get("cookie");
  const sent = cookies === null ? undefined : parse(cookies, COOKIE)[COOKIE];
  return sent !== undefined && token.matchesCookie(sent);
}
