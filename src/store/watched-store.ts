import { isStoreTrouble, type StoreError } from "../core/errors.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { oldestWaitingInput } from "./reads/upkeep/open-work.ts";
import { probeStore, removeProbe } from "./steps/upkeep/probe-store.ts";
import type { Store } from "./store.ts";

export interface StoreHealth {
  readonly ok: boolean;
  /** What is wrong, with the file and what to do; null when nothing is. For the operator. */
  readonly error: string | null;
}

export interface WatchedStore extends Store {
  /** Whether it can be read and, as far as is known, written. Some time after a write failed, looking tries one (OP-10). */
  health(): Promise<StoreHealth>;
}

/** Whoever was refused tries again within this time; on a nearly full disk small steps succeed in between. */
const TROUBLE_LASTS_MS = 5_000;

/**
 * A store that tells the operator once when it cannot be used and once when it can be again (OP-10): whoever was refused
 * tries again by itself, so without this the reason would be spread over many lines or, on `/healthz`, not be seen at all.
 */
export function watchStore(
  store: Store,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WatchedStore {
  let trouble: { readonly error: StoreError; readonly at: number } | null = null;

  const isFresh = (): boolean => trouble !== null && clock.now() - trouble.at < TROUBLE_LASTS_MS;

  async function watched<T>(call: Promise<T>, proves: boolean): Promise<T> {
    try {
      const result = await call;
      if (proves && trouble !== null && !isFresh()) {
        trouble = null;
        log.info({}, "the store can be used again");
      }
      return result;
    } catch (error) {
      if (isStoreTrouble(error)) {
        if (trouble?.error.code !== error.code) log.error({ code: error.code }, error.message);
        trouble = { error, at: clock.now() };
      }
      throw error;
    }
  }

  const step: Store["step"] = (wanted, input) => watched(store.step(wanted, input), wanted.durability === "full");
  const read: Store["read"] = (wanted, input) => watched(store.read(wanted, input), false);

  return {
    step,
    read,
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
    health: async () => {
      try {
        await read(oldestWaitingInput, undefined);
        if (trouble !== null && isFresh()) return { ok: false, error: trouble.error.message };
        if (trouble !== null) {
          await step(probeStore, undefined);
          await step(removeProbe, undefined);
        }
        return { ok: true, error: null };
      } catch (error) {
        return { ok: false, error: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
