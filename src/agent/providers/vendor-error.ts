/** The error object of a provider, whatever its shape. */
export interface VendorError {
  readonly message: string;
  /** `error.code` or `error.type`, as text. */
  readonly code: string | null;
  /** An HTTP status inside the body, when there is one (streamed errors). */
  readonly status: number | null;
  /** Google's `details[].reason`. */
  readonly reason: string | null;
  /** Google's `details[].retryDelay`, e.g. `34s`. */
  readonly retryDelay: string | null;
}

/** Reads a provider's error from a body text, a parsed body or an error part of a stream; null when there is none. */
export function readVendorError(value: unknown): VendorError | null {
  const parsed = typeof value === "string" ? parseObject(value) : value;
  if (typeof value === "string" && parsed === null) return null;
  if (typeof parsed === "string") return { message: parsed, code: null, status: null, reason: null, retryDelay: null };
  const outer = Array.isArray(parsed) ? (parsed[0] as unknown) : parsed;
  if (!isRecord(outer)) return null;
  const error = isRecord(outer.error) ? outer.error : outer;
  const message = typeof outer.error === "string" ? outer.error : error.message;
  if (typeof message !== "string") return null;
  const code = error.code;
  const type = error.type ?? error.status;
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const status = [error.statusCode, code].find((candidate) => typeof candidate === "number" && candidate >= 400);
  return {
    message,
    code: typeof code === "string" && code !== "" ? code : typeof type === "string" ? type : null,
    status: typeof status === "number" ? status : (STATUS_OF_TYPE.get(String(type)) ?? null),
    reason: details.map((detail) => detail.reason).find((reason) => typeof reason === "string") ?? null,
    retryDelay: details.map((detail) => detail.retryDelay).find((delay) => typeof delay === "string") ?? null,
  };
}

/** Errors that come inside a stream have no HTTP status; their type tells it. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["overloaded_error", 529],
]);

export function isRateLimit(vendor: VendorError | null): boolean {
  if (vendor === null) return false;
  return /^(rate_limit|too_many_requests|resource_exhausted|tokens$|requests$)/i.test(vendor.code ?? "");
}

const OVERFLOW_CODES: readonly (string | null)[] = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "request_too_large",
];

/**
 * The words with which each vendor says that a conversation is too long. Most give 400 and no code of their own, so
 * their text is the only sign; this is the one place that reads it.
 */
const OVERFLOW_WORDS: readonly RegExp[] = [
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /exceeds? the (?:model's )?context window/i, // OpenAI Responses
  /prompt is too long|exceed context limit/i, // Anthropic
  /input token count .*exceeds the maximum/i, // Google
  /exceeds the available context size/i, // llama.cpp
  /(?:exceeds|greater than) the (?:maximum )?context length|context (?:length|window) exceeded|context the overflows/i, // Ollama, LM Studio
  /input is too long for requested model/i, // Bedrock
  /maximum prompt length is/i, // xAI
  /reduce the length of the messages/i, // Groq
];

export function isContextOverflow(vendor: VendorError | null): boolean {
  if (vendor === null) return false;
  return OVERFLOW_CODES.includes(vendor.code) || OVERFLOW_WORDS.some((words) => words.test(vendor.message));
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
