/** What the platform answers when it does not carry a request out. Becomes `{ok: false, error, …extra}`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The platform's error name, such as `channel_not_found`. */
  readonly error: string;
  /** HTTP status; Slack answers 200 for everything but rate limits and its own trouble. */
  readonly status: number;
  /** Further fields of the answer, such as `needed` and `provided`. */
  readonly extra: Record<string, unknown>;
  readonly retryAfter: number | undefined;

  constructor(error: string, more: { status?: number; extra?: Record<string, unknown>; retryAfter?: number } = {}) {
    super(error);
    this.error = error;
    this.status = more.status ?? 200;
    this.extra = more.extra ?? {};
    this.retryAfter = more.retryAfter;
  }
}

/** A refusal in the platform's usual form: HTTP 200 with `ok: false`. */
export function refused(error: string, ...details: string[]): Refusal {
  return new Refusal(error, details.length === 0 ? {} : { extra: { response_metadata: { messages: details } } });
}

/** A 429 that tells the client to wait; `retryAfter` in whole seconds. */
export function rateLimited(retryAfter: number): Refusal {
  return new Refusal("ratelimited", { status: 429, retryAfter });
}
