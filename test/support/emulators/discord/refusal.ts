/** One complaint about one field, as in `errors` of an invalid form. */
export interface FieldError {
  /** Path of the field: `["embeds", 0, "title"]`; empty: the whole body. */
  path: readonly (string | number)[];
  code: string;
  message: string;
}

export interface RateLimitAnswer {
  /** Seconds, with fraction. */
  retryAfter: number;
  global: boolean;
  scope: "user" | "global" | "shared";
}

/** What the platform answers when it does not carry a request out: `{message, code, errors?}`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: number;
  readonly description: string;
  readonly errors: readonly FieldError[];
  readonly rateLimit: RateLimitAnswer | null;

  constructor(
    status: number,
    code: number,
    description: string,
    more: { errors?: readonly FieldError[]; rateLimit?: RateLimitAnswer } = {},
  ) {
    super(`${status} ${code} ${description}`);
    this.status = status;
    this.code = code;
    this.description = description;
    this.errors = more.errors ?? [];
    this.rateLimit = more.rateLimit ?? null;
  }

  /** The answer's body. */
  body(): Record<string, unknown> {
    if (this.rateLimit !== null) {
      const { retryAfter, global } = this.rateLimit;
      return { message: this.description, retry_after: retryAfter, global };
    }
    const errors = this.errors.length === 0 ? {} : { errors: nested(this.errors) };
    return { message: this.description, code: this.code, ...errors };
  }

  /** Headers beyond the usual ones. */
  headers(): Record<string, string> {
    if (this.rateLimit === null) return {};
    const { retryAfter, global, scope } = this.rateLimit;
    const bucket = {
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset-after": String(retryAfter),
    };
    return {
      "retry-after": String(Math.ceil(retryAfter)),
      "x-ratelimit-scope": scope,
      ...(global ? { "x-ratelimit-global": "true" } : bucket),
    };
  }
}

/** `{content: {_errors: [{code, message}]}}`: the platform nests complaints as the fields are nested. */
function nested(errors: readonly FieldError[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, code, message } of errors) {
    let node = root;
    for (const step of path) {
      const next = (node[String(step)] ?? {}) as Record<string, unknown>;
      node[String(step)] = next;
      node = next;
    }
    node._errors = [...((node._errors as unknown[] | undefined) ?? []), { code, message }];
  }
  return root;
}

/** 400 with an error code of the platform (Opcodes and Status Codes, JSON error codes). */
export function badRequest(code: number, description: string): Refusal {
  return new Refusal(400, code, description);
}

/** 403: the bot may not do this. */
export function forbidden(code: number, description: string): Refusal {
  return new Refusal(403, code, description);
}

/** 404: there is no such thing, or not for this bot. */
export function notFound(code: number, description: string): Refusal {
  return new Refusal(404, code, description);
}

/** 400 with code 50035 and the complaints by field. */
export function invalidForm(...errors: readonly FieldError[]): Refusal {
  return new Refusal(400, 50035, "Invalid Form Body", { errors });
}

/** 50035 about one field that is too long. */
export function tooLong(path: FieldError["path"], limit: number): Refusal {
  return invalidForm({ path, code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${limit} or fewer in length.` });
}

/** 429; `retryAfter` in seconds, with fraction. */
export function tooManyRequests(retryAfter: number, global = false, scope?: RateLimitAnswer["scope"]): Refusal {
  const rateLimit = { retryAfter, global, scope: scope ?? (global ? "global" : "user") } as const;
  return new Refusal(429, 0, "You are being rate limited.", { rateLimit });
}

export const unauthorized = (): Refusal => new Refusal(401, 0, "401: Unauthorized");
export const unknownChannel = (): Refusal => notFound(10003, "Unknown Channel");
export const unknownMessage = (): Refusal => notFound(10008, "Unknown Message");
export const unknownInteraction = (): Refusal => notFound(10062, "Unknown interaction");
export const missingAccess = (): Refusal => forbidden(50001, "Missing Access");
export const missingPermissions = (): Refusal => forbidden(50013, "Missing Permissions");
