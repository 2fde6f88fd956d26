import { createHash } from "node:crypto";

/** Stands between a server's name and a tool's; no server's name and none of Switchyard's own tools has it. */
const SEPARATOR = "__";
/** What models take as a tool's name; the strictest of them. */
const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const MAX = 64;
const MARK = 8;

/**
 * The name a server's tool has for models (ST-42): `<server>__<tool>`. One that models would not take (over 64 characters, or
 * others than letters, digits, `_` and `-`) is cut and gets a mark made of the whole name, so that it stays the same whatever
 * else the server offers.
 */
export function mcpToolName(server: string, tool: string): string {
  const full = `${server}${SEPARATOR}${tool}`;
  if (FITS.test(full)) return full;
  const mark = createHash("sha256").update(full).digest("hex").slice(0, MARK);
  return `${full.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, MAX - MARK - 1)}_${mark}`;
}

/** True for the name of a server's tool, also of a server that is away: such a call may have acted on the outside (TN-2). */
export function isMcpToolName(name: string): boolean {
  return name.includes(SEPARATOR);
}
