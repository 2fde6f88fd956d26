import type { Json } from "../../../core/json.ts";
import type { ModelRequest, StepEvent } from "../../../core/model.ts";
import type { Quirks } from "../../../core/quirks.ts";
import type { ProviderSettings } from "../../../core/settings.ts";
import type { AnswerParts } from "../read/answer.ts";

/** How a request is put: who is asked, and what that server takes. */
export interface Form {
  readonly quirks: Quirks;
  /** Marks what this very provider, base address and model made; only that goes back to it unchanged (FC-302). */
  readonly maker: string;
  /** Hashes of pictures this model refused before. */
  readonly refusedPictures: ReadonlySet<string>;
}

/** A call on the wire. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Takes the values of one answer's stream. Throws an error object of the server as it is. */
export interface Reader {
  accept(value: Json): void;
  /** The stream ended by itself. */
  end?(): void;
}

/** One way to talk to models: stored rows to its strict form, its stream to parts. */
export interface Protocol {
  readonly baseUrl: string;
  write(request: ModelRequest, form: Form, settings: ProviderSettings): WireRequest;
  read(answer: AnswerParts): Reader;
}

/** What a provider needs of the call it serves. */
export interface CallContext {
  /** Aborted when the caller gives up or the stream was idle for too long. */
  readonly signal: AbortSignal;
  /** Tells that the model gave a sign of life, also when no event comes of it (TN-5). */
  readonly alive: () => void;
  readonly form: Omit<Form, "maker">;
}

/**
 * One configured provider. `step` is one model call; it may throw, and it ends after `done` or `failed`. Only
 * `createAgentRunner` calls it: that is where exceptions, silence and missing ends become values.
 */
export interface ModelProvider {
  step(request: ModelRequest, context: CallContext): AsyncIterable<StepEvent>;
}
