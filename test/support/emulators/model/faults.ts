import { answer, type ModelReply, type ReplyStep, text } from "./script.ts";

function http(status: number, body: string, headers: Readonly<Record<string, string>> = {}): ModelReply {
  return { kind: "http", status, headers: { "content-type": "application/json", ...headers }, body };
}

function errorBody(message: string, type: string, code: string | null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}

/** The ways a chat completions server fails, each as the real ones do it. */
export const faults = {
  /** 429 with `retry-after` in seconds, or `retry-after-ms`. */
  rateLimited(options: { retryAfterSeconds?: number; retryAfterMs?: number } = {}): ModelReply {
    return http(429, errorBody("Rate limit reached", "rate_limit_error", "rate_limit_exceeded"), {
      ...(options.retryAfterSeconds === undefined ? {} : { "retry-after": String(options.retryAfterSeconds) }),
      ...(options.retryAfterMs === undefined ? {} : { "retry-after-ms": String(options.retryAfterMs) }),
    });
  },
  serverError(status = 500): ModelReply {
    return http(status, errorBody("The server had an error", "server_error", null));
  },
  badRequest(message = "Invalid value"): ModelReply {
    return http(400, errorBody(message, "invalid_request_error", null));
  },
  contextOverflow(): ModelReply {
    const message = "This model's maximum context length is 8192 tokens. Your messages resulted in 9001 tokens.";
    return http(400, errorBody(message, "invalid_request_error", "context_length_exceeded"));
  },
  unauthorized(status: 401 | 403 = 401): ModelReply {
    return http(
      status,
      errorBody("Incorrect API key provided: sk-test-…1234", "invalid_request_error", "invalid_api_key"),
    );
  },
  unknownModel(): ModelReply {
    return http(404, errorBody("The model `nope` does not exist", "invalid_request_error", "model_not_found"));
  },
  html(status = 200): ModelReply {
    return {
      kind: "http",
      status,
      headers: { "content-type": "text/html" },
      body: "<html><body>Bad gateway</body></html>",
    };
  },
  /** 200 with JSON that has no `choices`. */
  noChoices(): ModelReply {
    return http(200, JSON.stringify({ id: "x", object: "chat.completion", created: 0, model: "m" }));
  },
  /** Invalid JSON in a `data:` line, after `before`. */
  brokenSse(before = "Hel"): ModelReply {
    return answer(text(before), { type: "raw", bytes: 'data: {"choices":[{"delta":{"con\n\n' });
  },
  /** An `error` event inside a stream that began well. */
  errorEvent(message: string, code: string | number | null = null): ModelReply {
    const event = { error: { message, type: "server_error", param: null, code } };
    return answer(text("Hel"), { type: "raw", bytes: `data: ${JSON.stringify(event)}\n\n` });
  },
  /** The socket dies after these deltas. */
  cutAfter(...deltas: readonly string[]): ModelReply {
    return answer(...deltas.map(text), { type: "cut" });
  },
  /** The response ends cleanly after these deltas, but without a finish reason. */
  endsEarly(...deltas: readonly string[]): ModelReply {
    return answer(...deltas.map(text), { type: "end" });
  },
  /** Says these deltas and then nothing for ever. */
  idleAfter(...deltas: readonly string[]): ModelReply {
    const silence: ReplyStep = { type: "silence" };
    return answer(...deltas.map(text), silence);
  },
} as const;
