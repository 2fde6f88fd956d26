import { channel } from "node:diagnostics_channel";
import type { DeliveryState } from "./delivery/delivery.ts";
import type { ModelErrorCode } from "./errors.ts";
import type { ChannelId } from "./ids.ts";
import type { TokenUsage } from "./message/transcript.ts";
import type { TurnOutcome } from "./session/turn.ts";

/** PORT: what the parts of the product report of themselves (OP-8). Never throws, never waits, never carries content. */
export interface Instrument {
  /** One event or internal input, with its result (`accepted`, `duplicate`, `refused`, …). */
  input(facts: { readonly kind: string; readonly channel: ChannelId | null; readonly result: string }): void;
  turnEnded(facts: { readonly outcome: TurnOutcome; readonly ms: number }): void;
  /** One model call. */
  step(facts: { readonly model: string; readonly result: "ok" | ModelErrorCode; readonly ms: number }): void;
  toolCall(facts: { readonly tool: string; readonly status: string; readonly ms: number }): void;
  tokens(facts: { readonly model: string; readonly usage: TokenUsage }): void;
  /** A delivery came into a state. */
  delivery(facts: { readonly channel: ChannelId; readonly state: DeliveryState }): void;
  /** Milliseconds from the platform's event to what people saw of its answer: the first text and the final one. */
  answered(facts: { readonly channel: ChannelId; readonly part: "first" | "final"; readonly ms: number }): void;
  storeCall(facts: { readonly kind: "step" | "read"; readonly name: string; readonly ms: number }): void;
}

/** One stretch of synchronous work that ended; times from `performance.now()`. */
export interface Section {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Where named stretches of work are told; without a subscriber, naming one costs a comparison. */
export const sections = channel("switchyard:section");

/**
 * Runs synchronous work under a name, so that the event loop's monitor can say what blocked it (OP-15). Give the kind of
 * work ("render telegram"), never content or ids.
 */
export function section<T>(name: string, work: () => T): T {
  if (!sections.hasSubscribers) return work();
  const from = performance.now();
  try {
    return work();
  } finally {
    sections.publish({ name, from, to: performance.now() } satisfies Section);
  }
}
