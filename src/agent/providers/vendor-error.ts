/** A provider's error object, of any shape. */
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
  /** The field of the request it is about. */
  readonly param: string | null;
}

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, `retry-after` (seconds or a date), or Google's
 * `retryDelay` in the body. null when it says nothing readable. Never negative.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  vendor: VendorError | null,
  now: number,
): number | null {
  const ms = waitOf(headers["retry-after-ms"]);
  if (ms !== null) return ms;
  const header = headers["retry-after"];
  const seconds = waitOf(header);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = header === undefined ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const delay = /^([\d.]+)s$/.exec(vendor?.retryDelay ?? "");
  return delay === null ? null : Math.ceil(Number(delay[1]) * 1000);
}

function waitOf(text: string | undefined): number | null {
  if (text === undefined || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/**
 * Reads a provider's error from a body text, a parsed body or an error part of a stream; null when there is none. Errors lie in
 * `error`, first in `errors`, at the top, in FastAPI's `detail`, or inside a router's `metadata.raw`.
 */
export function readVendorError(value: unknown): VendorError | null {
  const parsed = typeof value === "string" ? (parseObject(value) ?? (isShortText(value) ? value.trim() : null)) : value;
  if (typeof parsed === "string") return { ...NOTHING, message: parsed };
  const outer = Array.isArray(parsed) ? (parsed[0] as unknown) : parsed;
  if (!isRecord(outer)) return null;
  const [listed] = Array.isArray(outer.errors) ? outer.errors.filter(isRecord) : [];
  const error = isRecord(outer.error) ? outer.error : (listed ?? outer);
  const message = messageOf(
    typeof outer.error === "string" ? outer.error : (error.message ?? outer.detail ?? error.msg ?? error.error_msg),
  );
  if (message === null) return null;
  const { code } = error;
  const type = error.type ?? error.status;
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const status = [error.statusCode, error.status_code, code]
    .map(Number)
    .find((candidate) => candidate >= 400 && candidate < 600);
  const raw =
    isRecord(error.metadata) && typeof error.metadata.raw === "string" ? readVendorError(error.metadata.raw) : null;
  return {
    message: raw === null ? message : `${message}: ${raw.message}`,
    code: typeof code === "string" && code !== "" ? code : typeof type === "string" ? type : (raw?.code ?? null),
    status: status ?? STATUS_OF_TYPE.get(String(code)) ?? STATUS_OF_TYPE.get(String(type)) ?? null,
    reason: details.map((detail) => detail.reason).find((reason) => typeof reason === "string") ?? null,
    retryDelay: details.map((detail) => detail.retryDelay).find((delay) => typeof delay === "string") ?? null,
    param: typeof error.param === "string" ? error.param : null,
  };
}

const NOTHING = { code: null, status: null, reason: null, retryDelay: null, param: null };

function messageOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return isRecord(value) ? JSON.stringify(value) : null;
  return value.map((one) => (isRecord(one) ? [one.loc, one.msg].flat().join(" ") : String(one))).join("; ");
}

/** A plain sentence; a page of HTML says nothing. */
function isShortText(text: string): boolean {
  return text.trim() !== "" && text.length < 1_000 && !/^\s*[<{[]/.test(text);
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
  ["context_length_exceeded", 400],
  ["rate_limit_exceeded", 429],
  ["server_error", 500],
]);

export function isRateLimit(vendor: VendorError | null): boolean {
  if (vendor === null) return false;
  return /^(rate_limit|too_many_requests|resource_exhausted|tokens$|requests$)/i.test(vendor.code ?? "");
}

const OVERFLOW_CODES: readonly (string | null)[] = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "request_too_large",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "string_above_max_length",
  "tokens_limit_reached",
  "model_max_prompt_tokens_exceeded",
];

/**
 * The words with which each server says that a conversation is too long (FC-305). Most give 400 and no code of their own, so
 * their text is the only sign; this is the one place that reads it.
 */
const OVERFLOW_WORDS: readonly RegExp[] = [
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /exceeds? the (?:model'?s? )?(?:maximum )?context window/i, // OpenAI Responses
  /prompt is too long|exceed context limit/i, // Anthropic
  /input token count .*exceeds the maximum/i, // Google
  /exceeds? the available context size/i, // llama.cpp
  /(?:exceeds?|greater than|longer than|larger than) the (?:model'?s? )?(?:maximum )?(?:allowed )?(?:context|input|sequence|prompt)(?: context)? (?:length|window|size|limit)/i, // Ollama, LM Studio, SGLang
  /context (?:length|window|size) (?:was |is |has been )?exceeded|exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?(?:context|model) (?:length|len|window|limit)|context the overflows/i,
  /longer than the maximum model length|max_model_len|maximum (?:model|sequence|input|prompt) length/i, // vLLM's other form, xAI
  /`?inputs`? (?:tokens \+ `?max_new_tokens`?|must have less than)|must have less than \d+ tokens/i, // TGI
  /input (?:is|was) too long|(?:input|prompt|request|conversation|messages?)(?: text)? (?:is |are )?too (?:long|large)(?! per)/i, // Bedrock, Kimi
  /(?:input )?(?:token|tokens) (?:length|count|number)s? (?:is |are )?(?:too (?:long|large)|exceeds?|should be)/i, // Kimi, Zhipu
  /exceeds? the maximum (?:allowed )?(?:input )?length|context (?:window|length|size) exceeds?/i, // SGLang, MiniMax
  /range of input length should be/i, // Qwen
  /exceed(?:s|ed)? (?:the )?(?:model )?(?:max|token|input) (?:message )?(?:tokens?|limit|length)|token limit (?:was )?exceeded/i, // Kimi, MiniMax
  /reduce the length of the (?:messages|prompt|input)|use the "middle-out"/i, // Groq, OpenRouter
  /(?:prompt|tokens?|request body).{0,40}too large for\b.{0,60}\bmodel/i, // Mistral, GitHub Models
  /token count of [\d,]+ exceeds/i, // Copilot
  /输入.{0,12}(?:过长|超(?:出|过))|超(?:出|过).{0,12}(?:上下文|长度|最大)|prompt\s*超长/i, // Zhipu, Qwen
];

export function isContextOverflow(vendor: VendorError | null): boolean {
  if (vendor === null) return false;
  // "max_tokens is too large" is about the answer.
  if (/^\W*max_(?:completion_|output_)?tokens\b/i.test(vendor.message)) return false;
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
