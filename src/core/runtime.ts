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
