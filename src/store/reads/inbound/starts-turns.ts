import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Schema } from "../../schema.ts";

/** The inputs that make a turn of their session due; a notice only when it wakes (SL-7): it is the last field of its payload. */
export function startsTurns(eb: ExpressionBuilder<Schema, "inbox">): Expression<SqlBool> {
  return eb.or([
    eb("kind", "not in", ["command", "notice"]),
    eb.and([eb("kind", "=", "notice"), eb("payload_json", "like", '%"wakes":true}')]),
  ]);
}
