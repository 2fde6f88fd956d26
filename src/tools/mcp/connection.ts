import type { McpServerSettings } from "../../core/settings.ts";

/**
 * Why a call has no answer. `refused`: the server said no; `timeout`: it did not answer in time; `lost`: the connection ended.
 * After the last two nobody knows whether it acted.
 */
export class McpCallError extends Error {
  override readonly name = "McpCallError";
  readonly kind: "refused" | "timeout" | "lost";

  constructor(kind: McpCallError["kind"], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A connection to one server, initialized. */
export interface McpConnection {
  /** Everything the server lists, unchecked, up to `max` entries. */
  list(options: { readonly signal: AbortSignal; readonly max: number }): Promise<readonly unknown[]>;
  /** The server's answer, unchecked. Rejects with a McpCallError, or with the signal's reason. */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<unknown>;
  /** False when the server does not answer a ping in time. */
  alive(): Promise<boolean>;
  /** Resolves with the reason when the connection has ended, by whichever side. */
  readonly closed: Promise<string>;
  /** Ends the connection and the server's processes; resolves when they are gone. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly version: string;
  /** Ends the attempt, and with it the server's processes. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** One line of what the server writes beside the protocol. */
  readonly onLine: (line: string) => void;
  readonly onToolsChanged: () => void;
}

/** Starts or reaches a server and shakes hands. Rejects with what went wrong; then nothing is left running. */
export type ConnectMcp = (server: McpServerSettings, options: ConnectOptions) => Promise<McpConnection>;
