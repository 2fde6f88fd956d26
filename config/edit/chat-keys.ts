import { isDeepStrictEqual } from "node:util";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { isTree, keysAt, mapTexts } from "../load/faults.ts";
import type { ConfigPath } from "../load/findings.ts";
import { configSchema } from "../load/schema.ts";
import { isFileName } from "../sections/agents.ts";
import { SHARED_CHANNEL_KEYS } from "../sections/channels.ts";

/**
 * The keys that a chat command may change (FC-409), each with everything below it; `*` is any name. None of them names a file, a
 * program, an environment variable, or an address that receives a key. A key that is not listed is changed in the file only, so a
 * new one is safe until somebody decides.
 */
const CHAT_KEYS: readonly string[] = [
  ...["agents", "tools", "session", "messages", "delivery", "catchUp", "commands", "limits", "media", "bindings"],
  ...["logging", "models.aliases", "models.providers.*.models"],
];

/** The same for channels: what all of them share, and their maps of places. */
export function chatKeys(channels: readonly ChannelDescriptor[]): readonly string[] {
  const own = channels.flatMap(({ channel, places }) => {
    const keys = [...SHARED_CHANNEL_KEYS, ...(places === null ? [] : [places.map])];
    return keys.flatMap((key) => [`channels.${channel}.${key}`, `channels.${channel}.accounts.*.${key}`]);
  });
  return [...CHAT_KEYS, ...own];
}

/** The first part of a change that only the file may make; null: a chat command may make all of it. */
export function fileOnlyChange(
  before: unknown,
  after: unknown,
  channels: readonly ChannelDescriptor[],
): ConfigPath | null {
  const allowed = chatKeys(channels).map((key) => key.split("."));
  const schema = configSchema(channels);
  const isAllowed = (path: ConfigPath): boolean =>
    allowed.some((key) => key.every((part, at) => part === "*" || part === path[at]));
  // A key that does not exist is refused by the check of the whole file, which offers the nearest one.
  const isUnknown = (path: ConfigPath): boolean =>
    path.some((part, at) => {
      const known = keysAt(schema, path.slice(0, at));
      return known.length > 0 && !known.includes(String(part));
    });
  const changed = changesBetween(before, after, []);
  return (
    changed.find(({ path, value }) => namesSecretOrFile(path, value) || !(isAllowed(path) || isUnknown(path)))?.path ??
    null
  );
}

interface Changed {
  readonly path: ConfigPath;
  /** undefined: taken out. */
  readonly value: unknown;
}

function changesBetween(before: unknown, after: unknown, path: ConfigPath): readonly Changed[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [isTree(before) ? before : null, isTree(after) ? after : null];
  if ((old ?? now) !== null && (old !== null || before === undefined) && (now !== null || after === undefined)) {
    const keys = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
    if (keys.size > 0) return [...keys].flatMap((key) => changesBetween(old?.[key], now?.[key], [...path, key]));
  }
  if (Array.isArray(after)) {
    const known: readonly unknown[] = Array.isArray(before) ? before : [];
    return [{ path, value: after.filter((one) => !known.some((other) => isDeepStrictEqual(one, other))) }];
  }
  return [{ path, value: after }];
}

function namesSecretOrFile(path: ConfigPath, value: unknown): boolean {
  let found = false;
  mapTexts(value, (text, inner) => {
    const key = [...path, ...inner].at(-1);
    found ||= /\$\{/.test(text) || (key === "instructions" && isFileName(text));
    return text;
  });
  return found;
}
