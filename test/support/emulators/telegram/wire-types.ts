import type { APIMethodParams, APIMethodReturn } from "@gramio/types/utils";
import type { MethodName } from "./method-names.ts";

/**
 * The published types also allow what only exists inside a client: Blobs, and objects with `toJSON` or `toString`.
 * On the wire there is plain JSON; the schema is cut down in the same way by `generate-schema.ts`.
 */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Blob
    ? never
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : T extends { toJSON(): unknown }
        ? never
        : keyof T extends "toString"
          ? never
          : { [Key in keyof T]: Wire<T[Key]> };

/** The validated parameters of a method, as a handler receives them. */
export type MethodParams<Name extends MethodName> =
  APIMethodParams<Name> extends undefined ? Record<string, never> : Wire<NonNullable<APIMethodParams<Name>>>;

/** What a method answers with in `result`. */
export type MethodResult<Name extends MethodName> = APIMethodReturn<Name>;
