import { lookup as systemLookup } from "node:dns";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { fetchTexts } from "../core/texts/platforms/accounts.ts";
import type { FetchedFile } from "./capabilities.ts";
import { throughProxies } from "./proxies.ts";

export interface GuardedFetchOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Sent to the first URL's own origin only; no redirect carries them to another (IN-12). */
  readonly credentials: Readonly<Record<string, string>>;
  /** Origins the operator configured; only these may be on a private address (a local API server). */
  readonly trustedOrigins: readonly string[];
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

class Refused extends Error {}

/**
 * Reads a file by URL, for platforms whose attachments are URLs (IN-12). Every hop is checked: its scheme, and the very
 * address the connection goes to, so that a name cannot lead elsewhere between look-up and connection. Through a proxy of the environment
 * the operator's proxy decides where a name leads. Never throws: what
 * fails is a reason fit for one line; an abort is one too.
 */
export async function guardedFetch(url: string, options: GuardedFetchOptions): Promise<FetchedFile> {
  try {
    return await follow(url, options);
  } catch (error) {
    if (error instanceof Refused) return { ok: false, reason: error.message };
    return { ok: false, reason: options.signal.aborted ? fetchTexts.tooSlow : fetchTexts.unreachable };
  }
}

async function follow(first: string, options: GuardedFetchOptions): Promise<FetchedFile> {
  const home = parse(first).origin;
  let url = parse(first);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await open(url, url.origin === home ? options.credentials : {}, options);
    const { statusCode = 0, headers } = response;
    if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
      return readBody(response, options.maxBytes);
    }
    response.destroy();
    url = parse(new URL(headers.location, url).href);
  }
  throw new Refused(fetchTexts.redirects);
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new Refused(fetchTexts.noWebAddress);
  return url;
}

function open(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { signal, trustedOrigins }: GuardedFetchOptions,
): Promise<IncomingMessage> {
  const trusted = trustedOrigins.includes(url.origin);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!trusted && isIP(host) !== 0 && isPrivateAddress(host)) throw new Refused(fetchTexts.privateAddress);
  const [send, OwnAgent] = url.protocol === "https:" ? [httpsRequest, HttpsAgent] : [httpRequest, HttpAgent];
  return new Promise((resolve, reject) => {
    // No shared agent: a kept connection would have been checked for another name.
    const options = {
      headers,
      signal,
      agent: new OwnAgent(throughProxies()),
      ...(trusted ? {} : { lookup: publicLookup }),
    };
    send(url, options, resolve).on("error", reject).end();
  });
}

/** Resolves a name and refuses it when any of its addresses is private. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return callback(error ?? new Error("no address"), "", 0);
    if (addresses.some(({ address }) => isPrivateAddress(address))) {
      return callback(new Refused(fetchTexts.privateAddress), "", 0);
    }
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

async function readBody(response: IncomingMessage, maxBytes: number): Promise<FetchedFile> {
  const { statusCode = 0, headers } = response;
  try {
    if (statusCode !== 200) throw new Refused(fetchTexts.status(statusCode));
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw new Refused(fetchTexts.tooLarge);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Refused(fetchTexts.tooLarge);
      chunks.push(chunk);
    }
    const mime = headers["content-type"]?.split(";")[0]?.trim() ?? null;
    return { ok: true, bytes: Buffer.concat(chunks), mime, name: null };
  } finally {
    response.destroy();
  }
}

const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96");

/**
 * True for addresses of this machine, of local networks and of no host at all (IN-12). IPv4 written as IPv6 is judged as IPv4.
 * Every other way to carry an IPv4 address in an IPv6 one (NAT64, 6to4, Teredo, IPv4-compatible) counts as private (FC-410).
 */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 0) return true;
  const parsed = ipaddr.process(address);
  return parsed.range() !== "unicast" || (parsed.kind() === "ipv6" && parsed.match(IPV4_COMPATIBLE));
}
