import type { AccountState, AdapterHost } from "../../src/channel/adapter.ts";

export interface Health {
  /** From now on the account can be used: `ready` may be said. */
  open(): void;
  /** What the gateway says. */
  connection(state: AccountState, error?: string): void;
  /** A reason: messages come, but cannot be stored; null: they can again. */
  storing(trouble: string | null): void;
}

/**
 * Reports changes only (CH-5): `since` is to mean something. A store in trouble shows only where the connection is well. The
 * gateway may be ready a moment before the account can send; `ready` waits for that, or what waited for it would come too soon.
 */
export function createHealth(host: Pick<AdapterHost, "report">): Health {
  let connection: { readonly state: AccountState; readonly error: string | undefined } | null = null;
  let trouble: string | null = null;
  let last = "";
  let usable = false;

  function say(): void {
    if (connection === null || (connection.state === "ready" && !usable)) return;
    const degraded = connection.state === "ready" && trouble !== null;
    const state = degraded ? "degraded" : connection.state;
    const error = degraded ? (trouble ?? undefined) : connection.error;
    const now = `${state} ${error ?? ""}`;
    if (now === last) return;
    last = now;
    host.report(state, error);
  }

  return {
    open() {
      usable = true;
      say();
    },
    connection(state, error) {
      connection = { state, error };
      say();
    },
    storing(reason) {
      trouble = reason;
      say();
    },
  };
}
