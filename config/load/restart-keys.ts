import { isDeepStrictEqual } from "node:util";
import { accountName } from "../../src/channel/descriptor.ts";
import type { ConfigFault } from "../../src/core/errors.ts";
import type { AccountSettings, Settings } from "../../src/core/settings.ts";
import { NEEDS_RESTART } from "../../src/core/texts/config/load.ts";

/** What of an account its connection is built from; the access keys are read at every event and apply at once. */
function connectionOf(account: AccountSettings): unknown {
  return { own: account.own, pacing: account.pacing, streaming: account.streaming, replyToMode: account.replyToMode };
}

/** The changes that only a restart applies (OP-2), each as a warning. */
export function needsRestart(before: Settings, after: Settings): readonly ConfigFault[] {
  const warnings: ConfigFault[] = [];
  const warn = (path: string): void => {
    warnings.push({ path, ...NEEDS_RESTART });
  };
  if (!isDeepStrictEqual(before.store, after.store)) warn("store");
  if (!isDeepStrictEqual(before.http, after.http)) warn("http");
  if (!isDeepStrictEqual(before.logging, after.logging)) warn("logging");
  const concurrency = (settings: Settings): readonly number[] => [
    settings.maxConcurrent,
    settings.maxConcurrentChildren,
  ];
  if (!isDeepStrictEqual(concurrency(before), concurrency(after))) warn("agents.defaults.maxConcurrent");
  const [old, current] = [byName(before), byName(after)];
  for (const name of new Set([...old.keys(), ...current.keys()])) {
    if (!isDeepStrictEqual(old.get(name), current.get(name))) warn(`channels: account ${name}`);
  }
  return warnings;
}

function byName(settings: Settings): ReadonlyMap<string, unknown> {
  return new Map(settings.accounts.map((account) => [accountName(account), connectionOf(account)]));
}
