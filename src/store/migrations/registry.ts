import type { Kysely } from "kysely";
import type { Dialect } from "../dialect/dialect.ts";
import { up as initial } from "./0001-initial.ts";

export type Migration = (db: Kysely<unknown>, dialect: Dialect) => Promise<void>;

/** In order; a store's schema version is how many of them ran. Released ones are never changed. */
export const MIGRATIONS: readonly Migration[] = [initial];
