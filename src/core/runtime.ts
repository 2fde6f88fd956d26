/** Milliseconds since the epoch. The only source of time, so that tests can move it. */
export interface Clock {
  now(): number;
}

export interface Ids {
  /** A random UUID. Order never comes from an id; it comes from a database sequence. */
  uuid(): string;
}

export type LogFields = Record<string, unknown>;

/** The part of pino that the product uses; fields first, sentence second (OP-7). */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

export interface Runtime {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
}

/** Makes a `switch` over a union total: adding a member without handling it fails the type check. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

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
