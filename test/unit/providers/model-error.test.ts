import { describe, expect, test } from "vitest";
import { ProviderRefusal, toModelError } from "../../../src/agent/providers/model-error.ts";
import { isContextOverflow, readVendorError, retryAfterMs } from "../../../src/agent/providers/vendor-error.ts";

const CONTEXT = {
  model: { provider: "local", model: "m" },
  secret: "very-secret-key",
  aborted: false,
  idleMs: null,
  now: Date.UTC(2026, 0, 1),
  fullness: 0.1,
};

function refusal(status: number, message: string, headers: Record<string, string> = {}): ProviderRefusal {
  return new ProviderRefusal(
    status,
    headers,
    JSON.stringify({ error: { message, type: "invalid_request_error", code: null } }),
  );
}

describe("TN-6 model errors", () => {
  test("TN-6: a message holds the vendor's words without key, address or anything key-like", () => {
    const words =
      "key very-secret-key / sk-proj-abc123 / AIzaSyA1234567890abcdefghijklmnopqrs see https://example.com/x now";
    const { message } = toModelError(refusal(400, words), CONTEXT);
    expect(message).toMatch(/^local\/m: the provider refuses the request \(HTTP 400, invalid_request_error: key … /);
    expect(message).not.toMatch(/secret|abc123|AIza|example|10\.0\.0\.1/);
  });

  test("TN-6: a long message of a vendor is cut", () => {
    expect(toModelError(refusal(400, "word ".repeat(500)), CONTEXT).message.length).toBeLessThan(300);
  });

  test("TN-6: an abort wins over whatever the abort made of the stream", () => {
    expect(toModelError(new TypeError("terminated"), { ...CONTEXT, aborted: true }).code).toBe("aborted");
    expect(toModelError(new TypeError("terminated"), { ...CONTEXT, idleMs: 50 }).code).toBe("idle");
  });

  test("TN-6: an unexpected exception is a bad response that keeps its cause", () => {
    const cause = new RangeError("oops");
    expect(toModelError(cause, CONTEXT)).toMatchObject({ code: "bad_response", cause });
  });

  test.each([
    "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens",
    "Your input exceeds the context window of this model.",
    "prompt is too long: 213462 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size. try increasing the context size",
    "Trying to keep the first 5000 tokens when context the overflows.",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "This endpoint's maximum context length is 131072 tokens.",
    "Please reduce the length of the messages or completion.",
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    "Input length (40000 tokens) exceeds the maximum allowed length (32767 tokens).",
    "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
    "`inputs` tokens + `max_new_tokens` must be <= 32768. Given: 40000",
    "`inputs` must have less than 32767 tokens. Given: 40000",
    "prompt too long; exceeded max context length by 7000 tokens",
    "Invalid request: Your request exceeded model token limit: 131072",
    "Range of input length should be [1, 129024]",
    "invalid params, context window exceeds limit (2013)",
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 140000 tokens. Please reduce the length of either one, or use the "middle-out" transform',
    "the request exceeds the available context size",
    "Prompt 超长",
    "Request body too large for gpt-5-mini model. Max size: 4000 tokens.",
    "prompt token count of 138898 exceeds the limit of 64000",
    "Requested token count exceeds the model's maximum context length of 256000 tokens.",
  ])("TN-6: knows a context overflow: %s", (message) => {
    expect(toModelError(refusal(400, message), CONTEXT).code).toBe("context_overflow");
  });

  test("FC-305: knows it in FastAPI's detail and inside a router's error", () => {
    const words = "This model's maximum context length is 8192 tokens.";
    const codeOf = (body: unknown) => toModelError(new ProviderRefusal(400, {}, JSON.stringify(body)), CONTEXT).code;
    expect(codeOf({ detail: words })).toBe("context_overflow");
    expect(codeOf({ detail: [{ loc: ["body"], msg: words }] })).toBe("context_overflow");
    expect(
      codeOf({
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: { raw: JSON.stringify({ error: { message: words } }) },
        },
      }),
    ).toBe("context_overflow");
  });

  test("FC-305: knows it in a list of errors, and by the codes of GitHub Models and Copilot", () => {
    const codeOf = (status: number, body: unknown) =>
      toModelError(new ProviderRefusal(status, {}, JSON.stringify(body)), CONTEXT).code;
    const words = "AiError: This model's maximum context length is 131072 tokens.";
    expect(codeOf(400, { errors: [{ message: words, code: 5021 }], success: false })).toBe("context_overflow");
    expect(codeOf(400, { error: { message: "No.", code: "model_max_prompt_tokens_exceeded" } })).toBe(
      "context_overflow",
    );
    expect(codeOf(413, { error: { code: "tokens_limit_reached", message: "Too large." } })).toBe("context_overflow");
    expect(codeOf(400, { errors: [{ code: "invalid_input_argument", message: "No." }], trace: "a" })).toBe(
      "bad_request",
    );
  });

  test.each([
    { error: { message: "The response was filtered", code: "content_filter", status: 400 } },
    {
      error: {
        message:
          "litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: "400",
      },
    },
  ])("FC-311: what a provider's content rules refuse is known behind a router too: %j", (body) => {
    expect(toModelError(new ProviderRefusal(400, {}, JSON.stringify(body)), CONTEXT).code).toBe("filtered");
  });

  test("FC-305: an error event in the stream is known by its code", () => {
    const event = {
      error: { type: "invalid_request_error", code: "context_length_exceeded", message: "Your input is too much." },
    };
    expect(toModelError(event, CONTEXT).code).toBe("context_overflow");
  });

  test.each([
    "Invalid value for 'temperature'",
    "messages: text content blocks must be non-empty",
    "max_tokens is too large",
  ])("TN-6: does not take another refusal for an overflow: %s", (message) => {
    expect(isContextOverflow(readVendorError({ error: { message } }))).toBe(false);
  });

  test("TN-6: a request that is too large per minute is a rate limit, not an overflow", () => {
    const body = {
      error: { message: "Request too large: tokens per minute", type: "tokens", code: "rate_limit_exceeded" },
    };
    const error = new ProviderRefusal(413, {}, JSON.stringify(body));
    expect(toModelError(error, CONTEXT).code).toBe("rate_limited");
  });

  test.each([
    ["retry-after-ms before retry-after", { "retry-after-ms": "120", "retry-after": "9" }, 120],
    ["seconds with a fraction", { "retry-after": "1.5" }, 1500],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
    ["a date in the past", { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    ["nonsense", { "retry-after": "soon" }, null],
    ["nothing", {}, null],
  ] as [string, Record<string, string>, number | null][])("TN-6: retry-after: %s", (_name, headers, expected) => {
    expect(retryAfterMs(headers, null, CONTEXT.now)).toBe(expected);
  });
});
