import type { JsonObject } from "./json.ts";

/**
 * Errors carry the decision, so that no code branches on message text: a stable code, what a person may be told,
 * when to try again and whether the outside may already have acted.
 */
export class BridgeError extends Error {
  override readonly name: string = "BridgeError";
  readonly code: string;
  /** One plain sentence for people, without keys, URLs, paths or stacks. */
  readonly forPerson: string | null;

  constructor(code: string, message: string, options: { cause?: unknown; forPerson?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.forPerson = options.forPerson ?? null;
  }
}

/** One problem in the configuration: where it is, what is wrong, how to fix it (OP-2). */
export interface ConfigFault {
  readonly path: string;
  readonly problem: string;
  readonly remedy: string;
}

/** All problems of a configuration; the process exits with 1. */
export class ConfigError extends BridgeError {
  override readonly name = "ConfigError";
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super("config_invalid", faults.map((fault) => `${fault.path}: ${fault.problem}. ${fault.remedy}`).join("\n"));
    this.faults = faults;
  }
}

/** `unavailable`: try again later; `rejected`: this input can never be stored. */
export class StoreError extends BridgeError {
  override readonly name = "StoreError";
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(code, message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}

/** The store itself is at fault, not what was to be done in it; with `retryable` it may well be back later. */
export function isStoreTrouble(error: unknown): error is StoreError {
  return error instanceof StoreError && STORE_TROUBLE.has(error.code);
}

const STORE_TROUBLE: ReadonlySet<string> = new Set([
  "store_full",
  "store_readonly",
  "store_busy",
  "store_missing",
  "store_corrupt",
  "store_unavailable",
]);

/** A platform connection that cannot start or go on (CH-5, CH-6). */
export class ChannelError extends BridgeError {
  override readonly name = "ChannelError";
  /** `retry`: back off and connect again; `fatal`: the operator must change something first. */
  readonly decision: "retry" | "fatal";
  /** How long the platform itself said to wait; null: it said nothing. */
  readonly retryAfterMs: number | null;

  constructor(
    code: string,
    message: string,
    options: { decision: "retry" | "fatal"; retryAfterMs?: number; cause?: unknown },
  ) {
    super(code, message, { cause: options.cause });
    this.decision = options.decision;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** A refusal or failure of a tool, in words a model can act on (ST-43). */
export class ToolError extends BridgeError {
  override readonly name = "ToolError";
  readonly status: "error" | "forbidden";
  readonly hint: string | null;

  constructor(message: string, options: { status?: "error" | "forbidden"; hint?: string } = {}) {
    super("tool_error", message);
    this.status = options.status ?? "error";
    this.hint = options.hint ?? null;
  }
}

export type ModelErrorCode =
  | "rate_limited"
  | "unavailable"
  | "context_overflow"
  | "unauthorized"
  /** The account is out of credit (FC-334). */
  | "no_credit"
  | "unknown_model"
  | "bad_request"
  | "bad_response"
  /** The model gave neither text nor a call (FC-311). */
  | "no_answer"
  /** The provider withheld the answer by its content rules. */
  | "filtered"
  | "idle"
  | "aborted";

/** Why a model step failed (TN-6). */
export class ModelError extends BridgeError {
  override readonly name = "ModelError";
  declare readonly code: ModelErrorCode;
  /** The provider's `retry-after` in milliseconds, when it gave one. */
  readonly retryAfterMs: number | null;

  constructor(code: ModelErrorCode, message: string, options: { retryAfterMs?: number | null; cause?: unknown } = {}) {
    super(code, message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  /** 429, 5xx, network, broken streams: worth trying again; the rest is not. */
  get retryable(): boolean {
    return (
      this.code === "rate_limited" ||
      this.code === "unavailable" ||
      this.code === "bad_response" ||
      this.code === "idle"
    );
  }
}

/** Every tool result is JSON with `status` (ST-43). */
export type ToolResult = JsonObject & { readonly status: string };

export function toolError(error: string, hint?: string, status: "error" | "forbidden" = "error"): ToolResult {
  return hint === undefined ? { status, error } : { status, error, hint };
}
