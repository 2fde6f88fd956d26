import type { Logger } from "./runtime.ts";

/** What was opened, to be closed in reverse order. */
export interface Closing {
  /** `what` names the part in the log when closing it fails. */
  add(what: string, close: () => unknown): void;
  /** Closes everything once, the newest first. One that fails is logged and keeps none of the others open. Never rejects. */
  closeAll(): Promise<void>;
}

/** Parts of a program that start one after the other: what is open already must not outlive a later one's failure. */
export function createClosing(log: Logger): Closing {
  const parts: { readonly what: string; readonly close: () => unknown }[] = [];
  return {
    add: (what, close) => void parts.push({ what, close }),
    closeAll: async () => {
      for (const { what, close } of parts.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          log.error({ err: error, part: what }, `${what} could not be closed in order`);
        }
      }
    },
  };
}
