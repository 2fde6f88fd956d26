import { ModelError, type ModelErrorCode } from "../../core/errors.ts";
import type { ModelRef } from "../../core/model.ts";
import { modelRefText } from "../../core/models.ts";
import { connectionFailed, MODEL_ERRORS, modelIdle } from "../../core/texts/agent/wire.ts";
import { isContextOverflow, isRateLimit, readVendorError, retryAfterMs, type VendorError } from "./vendor-error.ts";

export interface ErrorContext {
  readonly model: ModelRef;
  /** The provider's key; never in a message. */
  readonly secret: string | null;
  /** The caller gave up. */
  readonly aborted: boolean;
  /** Set when the stream was silent for this long. */
  readonly idleMs: number | null;
  /** Milliseconds since the epoch, for `retry-after` dates. */
  readonly now: number;
  /** The share of the model's window that the request fills, by our own count (FC-305). */
  readonly fullness: number;
}

/** A server's answer that is no 2xx. */
export class ProviderRefusal extends Error {
  override readonly name = "ProviderRefusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly vendor: VendorError | null;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.vendor = readVendorError(body);
  }
}

/** The server's own error, null when it gave none; undefined: it refused nothing. */
export function vendorErrorOf(thrown: unknown): VendorError | null | undefined {
  if (thrown instanceof ProviderRefusal) return thrown.vendor;
  return thrown instanceof Error ? undefined : readVendorError(thrown);
}

/** The stream cannot be read, or ended without an end. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Turns anything a provider throws into a `ModelError` (TN-6). Its message names the model and the reason, no key and no URL. */
export function toModelError(error: unknown, context: ErrorContext): ModelError {
  if (error instanceof ModelError) return error;
  const fail = (
    code: ModelErrorCode,
    reason: string,
    options: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) => new ModelError(code, `${modelRefText(context.model)}: ${reason}`, options);

  if (context.aborted) return fail("aborted", MODEL_ERRORS.aborted);
  if (context.idleMs !== null) return fail("idle", modelIdle(context.idleMs));
  if (error instanceof ProviderRefusal) {
    const { status, vendor } = error;
    const code = codeOf(status, vendor, context.fullness);
    const waits = code === "rate_limited" || code === "unavailable";
    return fail(code, `${MODEL_ERRORS[code]} (HTTP ${status}${describe(vendor, context.secret)})`, {
      retryAfterMs: waits ? retryAfterMs(error.headers, vendor, context.now) : null,
    });
  }
  if (error instanceof UnreadableAnswer) return fail("bad_response", error.message);
  const code = networkCode(error);
  if (code !== null) return fail("unavailable", connectionFailed(code));
  // Error parts of a stream are plain objects or texts; an Error is a fault in reading the stream.
  const vendor = error instanceof Error ? null : readVendorError(error);
  if (vendor !== null) {
    const streamed = codeOf(vendor.status ?? 500, vendor, context.fullness);
    return fail(streamed, `${MODEL_ERRORS[streamed]} (in the stream${describe(vendor, context.secret)})`, {
      retryAfterMs: retryAfterMs({}, vendor, context.now),
    });
  }
  return fail("bad_response", MODEL_ERRORS.bad_response, { cause: error });
}

/** Near its window's end a refusal without a reason is a conversation that is too long (FC-305). */
const NEARLY_FULL = 0.8;

/** Most vendors answer 402; OpenAI 429, Anthropic and xAI 400 or 403 with these codes or words. */
const NO_CREDIT =
  /insufficient[_ ](?:quota|balance|credits?|funds)|credit balance is too low|no credits?\b|out of credits|billing_(?:hard_limit_reached|error|not_active)/i;

function codeOf(status: number, vendor: VendorError | null, fullness: number): ModelErrorCode {
  const code = vendor?.code ?? "";
  if (status === 402 || NO_CREDIT.test(`${code} ${vendor?.message ?? ""}`)) return "no_credit";
  if (status === 429 || isRateLimit(vendor)) return "rate_limited";
  if (isContextOverflow(vendor) || status === 413) return "context_overflow";
  if (code === "authentication_error" || code === "invalid_api_key" || code === "permission_error")
    return "unauthorized";
  if (status === 401 || status === 403 || vendor?.reason === "API_KEY_INVALID") return "unauthorized";
  if (status === 404 || code === "model_not_found") return "unknown_model";
  if (status === 408 || status === 409 || status === 425) return "unavailable";
  if (isFiltered(vendor)) return "filtered";
  const wordless = vendor === null || vendor.message.trim() === "";
  if (wordless && status >= 400 && fullness >= NEARLY_FULL) return "context_overflow";
  if (status >= 500) return "unavailable";
  return status < 400 ? "bad_response" : "bad_request";
}

/** Routers put their own code over the provider's, and keep its words. */
function isFiltered(vendor: VendorError | null): boolean {
  if (/^(content_filter|content_policy_violation|data_inspection_failed)$/.test(vendor?.code ?? "")) return true;
  return /ContentPolicyViolation|content management policy|ResponsibleAIPolicyViolation/.test(vendor?.message ?? "");
}

/** The vendor's own code and words, without addresses and anything that looks like a key, in at most 200 characters. */
function describe(vendor: VendorError | null, secret: string | null): string {
  if (vendor === null) return "";
  const words = [vendor.code, vendor.message].filter((word) => word !== null && word !== "").join(": ");
  const withoutSecret = secret === null || secret === "" ? words : words.replaceAll(secret, "…");
  const clean = withoutSecret
    .replace(/\bhttps?:\/\/\S+/gi, "…")
    .replace(/\b(?:sk|pk|key|AIza|xai|gsk)[-_][^\s"',;]{4,}/gi, "…")
    .replace(/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}\b/g, "…")
    .replace(/\s+/g, " ");
  return clean === "" ? "" : `, ${clean.length > 200 ? `${clean.slice(0, 199)}…` : clean}`;
}

/** The system's code of a network failure in an error or its causes, e.g. `ECONNREFUSED`. */
function networkCode(error: unknown): string | null {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const code = (current as NodeJS.ErrnoException).code;
    if (
      typeof code === "string" &&
      /^(E[A-Z_]+|UND_ERR_\w+|HPE_\w+|CERT_\w+|ERR_TLS\w*|ERR_STREAM_PREMATURE_CLOSE|Z_\w+)$/.test(code)
    )
      return code;
    current = current.cause;
  }
  return null;
}
