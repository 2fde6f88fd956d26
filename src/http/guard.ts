import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import { httpTexts } from "../core/texts/http.ts";
import type { GuessLimit } from "./guesses.ts";
import { bearerOf, hasSignedIn, type TokenCheck } from "./guesses.ts";

/** What every handler of the one server knows of a request. */
export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: { caller: Caller };
}

export interface GuardOptions {
  /** null: no token is configured, which is allowed on a loopback address only. */
  readonly token: TokenCheck | null;
}

export interface Caller {
  /** The connection comes from this machine. */
  readonly loopback: boolean;
  /** May drive the agent: holds the token or, when none is configured, sits at this machine (CH-4). */
  readonly operator: boolean;
  /** By the cookie of a sign-in, which a sign-out takes away. */
  readonly signedIn: boolean;
}

export interface HttpRefusal {
  readonly status: 403 | 421;
  readonly message: string;
}

/** Names and addresses of this machine itself, with or without the brackets of IPv6. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare.endsWith(".localhost")) return true;
  if (isIP(bare) === 6) return bare === "::1" || bare.startsWith("::ffff:127.");
  return isIP(bare) === 4 && bare.startsWith("127.");
}

/**
 * Who is calling; null: too many wrong tokens came from there, and this one was not looked at. A configured token is needed from
 * everywhere, also from a proxy on this machine.
 */
export async function callerOf(
  headers: Headers,
  remoteAddress: string | null,
  { token, guesses }: GuardOptions & { readonly guesses: GuessLimit },
): Promise<Caller | null> {
  const loopback = remoteAddress !== null && isLoopbackHost(remoteAddress);
  if (token === null) return { loopback, operator: loopback, signedIn: false };
  const bearer = bearerOf(headers);
  const signedIn = hasSignedIn(headers, token);
  if (bearer === null) return { loopback, operator: signedIn, signedIn };
  const verdict = await guesses.check(remoteAddress ?? "", () => token.matches(bearer));
  return verdict === "refused" ? null : { loopback, operator: verdict === "right", signedIn };
}

/**
 * Refuses a request that another website made a browser send (CH-4); null: it may go on. Without a token the `Host` must
 * name this machine, or a foreign name that was pointed at 127.0.0.1 would count as the same site (DNS rebinding);
 * with a token the cookie is bound to the host's name already.
 */
export function crossSiteRefusal(request: Request, { token }: GuardOptions): HttpRefusal | null {
  const host = request.headers.get("host");
  if (host === null || (token === null && !isLoopbackHost(hostName(host)))) {
    return {
      status: 421,
      message: httpTexts.wrongHost,
    };
  }
  if (request.method === "GET" || request.method === "HEAD") return null;
  const origin = request.headers.get("origin");
  if (origin !== null && originHost(origin) !== host.toLowerCase()) {
    return { status: 403, message: httpTexts.otherOrigin };
  }
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") {
    return { status: 403, message: httpTexts.otherSite };
  }
  return null;
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** null for `null`, which sandboxed pages and local files send. */
function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : null;
}

/** On every response: no inline script, no frame around it, no guessing of types (OP-6). A handler's own value wins. */
export function securityHeaders(headers: Headers): void {
  const defaults: readonly (readonly [string, string])[] = [
    [
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "same-origin"],
    ["cross-origin-opener-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
  ];
  for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value);
}

/** What the bodies of one kind of route may take. */
export interface BodyBounds {
  /** Of one body. */
  readonly bytes: number;
  /** From the request to the body's last byte. */
  readonly ms: number;
  /** Of all bodies that are being read now. */
  readonly totalBytes: number;
}

/** FC-401: a webhook is a few kilobytes, and platforms send it in one go. */
export const PUBLIC_BODIES: BodyBounds = { bytes: 1_048_576, ms: 10_000, totalBytes: 16 * 1_048_576 };

/** A body that was not read completely; the response says why. */
export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  readonly status: 408 | 413 | 503;

  constructor(status: 408 | 413 | 503) {
    super(`the body of the request is refused (${status})`);
    this.status = status;
  }
}

interface Reading {
  bytes: number;
  refuse(status: 408 | 413 | 503): void;
}

/**
 * Bounds the bodies of requests whose senders are not known yet. Reading one beyond its bounds fails with `BodyRefused`. When all
 * together take too much, the largest gives way: a flood cannot push out the small ones that platforms send.
 */
export function createBodyBounds({ bytes, ms, totalBytes }: BodyBounds): (request: Request) => Request {
  const readings = new Set<Reading>();
  let total = 0;

  function bounded(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    let timer: NodeJS.Timeout | undefined;
    let reading: Reading | null = null;
    const forget = (): void => {
      clearTimeout(timer);
      if (reading === null || !readings.delete(reading)) return;
      total -= reading.bytes;
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const refuse = (status: 408 | 413 | 503): void => {
          forget();
          controller.error(new BodyRefused(status));
          reader.cancel().catch(() => undefined);
        };
        reading = { bytes: 0, refuse };
        readings.add(reading);
        timer = setTimeout(() => refuse(408), ms);
        timer.unref();
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (reading === null || !readings.has(reading)) return;
        if (done) {
          forget();
          controller.close();
          return;
        }
        reading.bytes += value.length;
        total += value.length;
        if (reading.bytes > bytes) reading.refuse(413);
        else if (total > totalBytes) largest(readings)?.refuse(503);
        if (readings.has(reading)) controller.enqueue(value);
      },
      cancel: async (reason) => {
        forget();
        await reader.cancel(reason);
      },
    });
  }

  return (request) => {
    if (Number(request.headers.get("content-length") ?? 0) > bytes) throw new BodyRefused(413);
    if (request.method === "GET" || request.method === "HEAD" || request.body === null) return request;
    const init: RequestInit & { duplex: "half" } = {
      method: request.method,
      headers: request.headers,
      body: bounded(request.body),
      duplex: "half",
    };
    return new Request(request.url, init);
  };
}

function largest(readings: ReadonlySet<Reading>): Reading | undefined {
  return [...readings].reduce<Reading | undefined>(
    (most, one) => (most === undefined || one.bytes > most.bytes ? one : most),
    undefined,
  );
}
