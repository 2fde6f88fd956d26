import { randomUUID } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import JSON5 from "json5";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import type { ConfigChange, ConfigEditor, ConfigValue } from "../../src/core/config-editor.ts";
import { ConfigError } from "../../src/core/errors.ts";
import type { Settings } from "../../src/core/settings.ts";
import {
  atPath,
  CHANGED_MEANWHILE,
  FILE_ONLY,
  faultLine,
  LISTED_ALREADY,
  notAPath,
  SECRET_IN_CHAT,
  TOO_COMPLEX,
} from "../../src/core/texts/config/load.ts";
import { isTree, type Tree, valueAt } from "../load/faults.ts";
import { type ConfigPath, pathText, readConfigPath } from "../load/findings.ts";
import type { LoadedConfig } from "../load/load.ts";
import { parseText } from "../load/parse.ts";
import { needsRestart } from "../load/schema.ts";
import { maskSecrets, plainSecrets } from "../load/secrets.ts";
import { fileOnlyChange } from "./chat-keys.ts";
import { addInText, setInText, type TextEdit, unsetInText } from "./json5-edit.ts";

export interface EditorOptions {
  readonly file: string;
  readonly channels: readonly ChannelDescriptor[];
  /** What the process began with: what differs from it in keys that only a start reads needs a restart. */
  readonly startedWith: Settings;
  /** Loads a file as if it were the configuration; the file lies beside the real one. */
  readonly load: (file: string) => Promise<LoadedConfig>;
  /** Applies what was written. */
  readonly reload: () => Promise<boolean>;
}

const MOST_PROBLEMS = 5;

/**
 * Looks at and changes the configuration file (CM-15). A change is made in the file's text, so that comments and layout stay;
 * the result is written beside it, loaded and checked as a whole, and only then put in its place in one step. Changes wait
 * for each other.
 */
export function createConfigEditor(options: EditorOptions): ConfigEditor {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (change: () => Promise<ConfigChange>): Promise<ConfigChange> => {
    const mine = last.then(change);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    get: (written) => lookAt(written, options),
    set: (written, text) =>
      inTurn(() => {
        const value = readValue(text);
        return change(written, { edit: (file, path) => setInText(file, path, value), value: () => value }, options);
      }),
    add: (written, text) => inTurn(() => change(written, addition(readValue(text)), options)),
    unset: (written) => inTurn(() => change(written, { edit: unsetInText, value: () => undefined }, options)),
  };
}

async function lookAt(written: string, { file, channels }: EditorOptions): Promise<ConfigValue> {
  const path = readConfigPath(written);
  if (path === null) return { found: false, problem: notAPath(written) };
  const tree = parseText(await readFile(file, "utf8"), "the configuration");
  const value = valueAt(maskSecrets(tree, channels), path);
  return value === undefined
    ? { found: false, problem: null }
    : { found: true, text: JSON5.stringify(value, { quote: '"', space: 2 }) };
}

/** A bare word that is no JSON5 is a text: `openai/gpt-5`. */
function readValue(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

interface Wanted {
  readonly edit: (text: string, path: ConfigPath) => TextEdit;
  /** What stands there then, of what stands there now; undefined: nothing. */
  readonly value: (before: unknown) => unknown;
  /** One sentence: there is nothing to change. */
  readonly needless?: (before: unknown) => string | null;
}

function addition(value: unknown): Wanted {
  const listed = (before: unknown): readonly unknown[] => (Array.isArray(before) ? before : []);
  return {
    edit: (file, path) => addInText(file, path, value),
    value: (before) => [...listed(before), value],
    needless: (before) => (listed(before).some((one) => isDeepStrictEqual(one, value)) ? LISTED_ALREADY : null),
  };
}

async function change(written: string, wanted: Wanted, options: EditorOptions): Promise<ConfigChange> {
  const path = readConfigPath(written);
  if (path === null || path.length === 0) return refused(notAPath(written));
  // A link is followed: the file it leads to is replaced, not the link.
  const file = await realpath(options.file);
  const before = await readFile(file, "utf8");
  const tree = parseText(before, "the configuration");
  const needless = wanted.needless?.(valueAt(tree, path)) ?? null;
  if (needless !== null) return refused(atPath(pathText(path), needless));
  const edited = wanted.edit(before, path);
  if ("problem" in edited) return refused(atPath(pathText(path), edited.problem));
  const after = readBack(edited.text);
  if (
    !isDeepStrictEqual(valueAt(after, path), wanted.value(valueAt(tree, path))) ||
    !sameElsewhere(tree, after, path)
  ) {
    return refused(atPath(pathText(path), TOO_COMPLEX));
  }
  const plain = plainSecrets(after, options.channels).filter(
    (secret) => !isDeepStrictEqual(valueAt(tree, secret), valueAt(after, secret)),
  );
  if (plain.length > 0) {
    return refused(atPath(pathText(plain[0] ?? []), SECRET_IN_CHAT));
  }
  const fileOnly = fileOnlyChange(tree, after, options.channels);
  if (fileOnly !== null) return refused(atPath(pathText(fileOnly), FILE_ONLY));
  return await replace({ file, before, text: edited.text, path }, options);
}

function refused(...problems: readonly string[]): ConfigChange {
  return { changed: false, problems };
}

function readBack(text: string): Tree {
  const value: unknown = JSON5.parse(text);
  return isTree(value) ? value : {};
}

/** Every key beside the path and what leads to it says what it said. */
function sameElsewhere(before: unknown, after: unknown, path: ConfigPath): boolean {
  const [part, ...rest] = path;
  if (part === undefined) return true;
  if (Array.isArray(before) || Array.isArray(after))
    return rest.length === 0 || Array.isArray(before) === Array.isArray(after);
  const [old, now] = [isTree(before) ? before : {}, isTree(after) ? after : {}];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  keys.delete(String(part));
  return [...keys].every((key) => isDeepStrictEqual(old[key], now[key])) && sameElsewhere(old[part], now[part], rest);
}

interface Replacement {
  readonly file: string;
  readonly before: string;
  readonly text: string;
  readonly path: ConfigPath;
}

async function replace({ file, before, text, path }: Replacement, options: EditorOptions): Promise<ConfigChange> {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    await writeDraft(draft, text, (await stat(file)).mode);
    const next = await options.load(draft);
    if ((await readFile(file, "utf8")) !== before) return refused(CHANGED_MEANWHILE);
    const needRestart = await restartsFor({ file, path, next: next.settings }, options);
    await rename(draft, file);
    await syncFolder(dirname(file));
    await options.reload();
    return { changed: true, needRestart };
  } catch (error) {
    if (error instanceof ConfigError) return refused(...error.faults.slice(0, MOST_PROBLEMS).map(faultLine));
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** What only a restart applies of this change; what an earlier one has left for it was said then. */
async function restartsFor(
  { file, path, next }: { readonly file: string; readonly path: ConfigPath; readonly next: Settings },
  { load, startedWith }: EditorOptions,
): Promise<readonly string[]> {
  const before = await load(file).catch((error: unknown) => {
    // Until now the file could not be loaded, so nothing was said of it.
    if (error instanceof ConfigError) return null;
    throw error;
  });
  const changed = new Set(needsRestart(before?.settings ?? startedWith, next).map((key) => key.path));
  const isMeant = (key: string): boolean => changed.has(key) || `${pathText(path)}.`.startsWith(`${key}.`);
  return needsRestart(startedWith, next)
    .map((key) => key.path)
    .filter(isMeant);
}

/** On disk when it resolves; a full disk fails here, where nothing is lost yet. */
async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  const handle = await open(draft, "wx", mode);
  try {
    await handle.writeFile(text, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
