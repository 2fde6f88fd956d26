import type { AccountState, AdapterHost } from "../../src/channel/adapter.ts";

/** What an account says of itself (CH-5): its connection and its store, each on its own, as one state. */
export interface Health {
  /** From now on the account can be used: `ready` may be said. */
  open(): void;
  connected(): void;
  lost(reason: string): void;
  /** Only the operator can help. */
  failed(reason: string): void;
  /** An event waits for the store, or no longer does. */
  waiting(count: 1 | -1): void;
}

/**
 * Reports changes only: `since` of the health is to mean something. Events can come a moment before the account can send;
 * `ready` waits for that, or what waited for it would come too soon.
 */
export function createHealth(host: Pick<AdapterHost, "report">): Health {
  let connection: { readonly state: AccountState; readonly error: string | undefined } = {
    state: "starting",
    error: undefined,
  };
  let unstored = 0;
  let last = "";
  let usable = false;

  function report(): void {
    if (connection.state === "ready" && !usable) return;
    const isStuck = connection.state === "ready" && unstored > 0;
    const state = isStuck ? "degraded" : connection.state;
    const error = isStuck ? "messages cannot be stored at the moment" : connection.error;
    const now = `${state} ${error ?? ""}`;
    if (now === last || state === "starting") return;
    last = now;
    host.report(state, error);
  }

  function become(state: AccountState, error?: string): void {
    if (connection.state === "failed") return;
    connection = { state, error };
    report();
  }

  return {
    open() {
      usable = true;
      report();
    },
    connected: () => become("ready"),
    lost: (reason) => become("reconnecting", reason),
    failed: (reason) => become("failed", reason),
    waiting(count) {
      unstored += count;
      report();
    },
  };
}
