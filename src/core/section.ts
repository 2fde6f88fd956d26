import { channel } from "node:diagnostics_channel";

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
