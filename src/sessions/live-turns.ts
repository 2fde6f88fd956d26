import type { SessionKey } from "../core/session/session-key.ts";

/** Why a running turn is cut short. */
export type AbortCause = "stopped" | "interrupted" | "shutdown" | "timeout";

/**
 * The turns running in this process, so that a stop reaches their model and tool calls within a second (TN-8). The rows
 * decide what a turn may write; this only hurries it.
 */
export interface LiveTurns {
  /** Registers a turn; the returned signal aborts with the cause as its reason. */
  open(key: SessionKey): LiveTurn;
  abort(keys: readonly SessionKey[], cause: AbortCause): void;
  /** Tells a running turn that something waits for its next boundary. */
  nudge(key: string): void;
  /** Takes the nudge, if there was one since the last look. */
  takeNudge(key: SessionKey): boolean;
  running(): number;
}

export interface LiveTurn {
  readonly signal: AbortSignal;
  /** Called at each nudge from now on, and at once when one came before. */
  onNudge(listener: () => void): void;
  close(): void;
}

interface Live {
  readonly controller: AbortController;
  nudged: boolean;
  listener: (() => void) | null;
}

/** `onAbort` is told of every session that was ended from outside, also of those with no running turn. */
export function createLiveTurns(onAbort: (keys: readonly SessionKey[]) => void = () => undefined): LiveTurns {
  const live = new Map<string, Live>();
  return {
    open: (key) => {
      const entry: Live = { controller: new AbortController(), nudged: false, listener: null };
      live.set(key, entry);
      return {
        signal: entry.controller.signal,
        onNudge: (listener) => {
          entry.listener = listener;
          if (entry.nudged) listener();
        },
        close: () => {
          if (live.get(key) === entry) live.delete(key);
        },
      };
    },
    abort: (keys, cause) => {
      for (const key of keys) live.get(key)?.controller.abort(cause);
      onAbort(keys);
    },
    nudge: (key) => {
      const entry = live.get(key);
      if (entry === undefined) return;
      entry.nudged = true;
      entry.listener?.();
    },
    takeNudge: (key) => {
      const entry = live.get(key);
      if (entry === undefined || !entry.nudged) return false;
      entry.nudged = false;
      return true;
    },
    running: () => live.size,
  };
}
