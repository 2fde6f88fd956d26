/** What the platform answers when it does not carry a request out. Becomes `{ok: false, error_code, description}`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly description: string;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: Refusal["parameters"]) {
    super(`${code} ${description}`);
    this.code = code;
    this.description = description;
    this.parameters = parameters;
  }
}

/** A 400 with the platform's usual prefix. */
export function badRequest(detail: string): Refusal {
  return new Refusal(400, `Bad Request: ${detail}`);
}

/** A 403 with the platform's usual prefix. */
export function forbidden(detail: string): Refusal {
  return new Refusal(403, `Forbidden: ${detail}`);
}

/** A 429 that tells the client to wait; `retryAfter` in whole seconds. */
export function tooManyRequests(retryAfter: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}

/** A 409: a second poller, or polling beside a webhook. */
export function conflict(detail: string): Refusal {
  return new Refusal(409, `Conflict: ${detail}`);
}

export const TERMINATED_BY_POLLER =
  "terminated by other getUpdates request; make sure that only one bot instance is running";
export const TERMINATED_BY_WEBHOOK = "terminated by setWebhook request";
export const WEBHOOK_IS_ACTIVE =
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
