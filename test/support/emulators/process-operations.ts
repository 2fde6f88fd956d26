import type { z } from "zod";

/** What an emulator in a process of its own can be told to do, by name. */
export type Operations = Readonly<
  Record<string, { readonly args: z.ZodType; readonly run: (emulator: never, args: never) => unknown }>
>;

/** A request that was carried out and is held back before its answer. */
export interface HeldRequest {
  readonly number: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** The environment variable an emulator's process reads its options from, as JSON. */
export const OPTIONS_VARIABLE = "EMULATOR_OPTIONS";
