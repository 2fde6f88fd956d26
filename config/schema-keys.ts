import { z } from "zod";
import type { ConfigPath } from "./findings.ts";

/** The keys that the schema knows at `path`; empty where any name is allowed or there are none. */
export function keysAt(schema: z.ZodType, path: ConfigPath): readonly string[] {
  const found = schemaAt(schema, path);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function schemaAt(schema: z.ZodType, path: ConfigPath): z.ZodType | null {
  let current: unknown = bare(schema);
  for (const part of path) {
    if (current instanceof z.ZodObject) current = bare(current.shape[part]);
    else if (current instanceof z.ZodRecord) current = bare(current.valueType);
    else if (current instanceof z.ZodArray) current = bare(current.element);
    else return null;
  }
  return current instanceof z.ZodType ? current : null;
}

function bare(schema: unknown): unknown {
  let current = schema;
  while (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault) {
    current = current.unwrap();
  }
  return current;
}
