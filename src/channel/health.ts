import { UNSTORED } from "../core/texts/platforms/accounts.ts";
import type { AccountState, AdapterHost } from "./adapter.ts";

/** What an account reports (CH-5): the state of its connection and of its store, as one state. */
export interface Health {
  /** From now on the account can send, so it may report `ready`. */
  open(): void;
  /** The state of the connection. After `failed` nothing else is reported: only the operator can help. */
  connection(state: Exclude<AccountState, "starting">, error?: string): void;
  /** One more event, or one fewer, waits for the store. */
  unstored(count: 1 | -1): void;
}

/**
 * Reports changes only, because `since` must mean something. Events may come a moment before the account can send; `ready`
 * waits for that, or what waits for `ready` would be sent too early.
 */
export function createHealth(host: Pick<AdapterHost, "report">): Health {
  let connection: { readonly state: AccountState; readonly error: string | undefined } | null = null;
  let waiting = 0;
  let last = "";
  let isOpen = false;

  function report(): void {
    if (connection === null || (connection.state === "ready" && !isOpen)) return;
    const isStuck = connection.state === "ready" && waiting > 0;
    const { state, error } = isStuck ? { state: "degraded" as const, error: UNSTORED } : connection;
    const now = `${state} ${error ?? ""}`;
    if (now === last) return;
    last = now;
    host.report(state, error);
  }

  return {
    open() {
      isOpen = true;
      report();
    },
    connection(state, error) {
      if (connection?.state === "failed") return;
      connection = { state, error };
      report();
    },
    unstored(count) {
      waiting += count;
      report();
    },
  };
}
