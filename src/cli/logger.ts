import { Writable } from "node:stream";
import pino from "pino";
import type { LogFields, Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { createRedactor } from "../core/text/redact.ts";
import { visibleLine, visibleText } from "../core/text/visible.ts";

export interface LoggerOptions {
  readonly settings: Pick<Settings, "logging" | "secrets">;
  /** Pretty lines instead of JSON. */
  readonly isTerminal: boolean;
  /** Takes one line, without its line break. */
  readonly write: (line: string) => void;
}

/** Fields that carry what people or agents wrote; left out unless `logging.content` (OP-7). */
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  "text",
  "content",
  "body",
  "prompt",
  "instructions",
  "reply",
  "task",
  "result",
  "raw",
]);
/** Fields that always count as credentials, whatever their value. */
const SECRET_FIELDS = /^(token|botToken|apiKey|authorization|cookie|password|secret|secretToken|signingSecret)$/i;
const DEEPEST = 6;

/**
 * The product's logger (OP-7): pino's JSON, or pretty lines on a terminal. Configured secrets and known shapes of
 * credentials are masked in every text; message content is left out unless `logging.content`; stacks only at debug level.
 */
export async function createLogger({ settings, isTerminal, write }: LoggerOptions): Promise<Logger> {
  const { level, content } = settings.logging;
  const redact = createRedactor(settings.secrets);
  const cleaner = createCleaner({
    mask: (text) => visibleText(redact(text).text),
    content,
    stacks: level === "debug" || level === "trace",
  });
  const sink = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      write(chunk.toString().trimEnd());
      done();
    },
  });
  const destination = isTerminal ? await prettyOnto(sink) : sink;
  const log = pino(
    {
      level,
      base: null,
      // Errors are plain fields before pino sees them; its own serializer would add an empty stack.
      serializers: { err: (value) => value },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => cleaner.fields(fields) },
      hooks: {
        logMethod(args, method) {
          const [fields, message] = args as [LogFields, string];
          method.apply(this, [fields, cleaner.text(message)]);
        },
      },
    },
    destination,
  );
  return adapt(log, cleaner);
}

/** The prettifier is loaded only for a terminal. */
async function prettyOnto(sink: Writable): Promise<pino.DestinationStream> {
  const { default: pretty } = await import("pino-pretty");
  return pretty({ destination: sink, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", singleLine: true });
}

function adapt(log: pino.Logger, cleaner: Cleaner): Logger {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    child: (fields) => adapt(log.child(cleaner.fields(fields)), cleaner),
  };
}

interface Cleaner {
  text(text: string): string;
  fields(fields: LogFields): LogFields;
}

function createCleaner(rules: { mask: (text: string) => string; content: boolean; stacks: boolean }): Cleaner {
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return rules.mask(value);
    if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
    if (depth > DEEPEST) return "[deeper]";
    if (value instanceof Error) return clean(errorFields(value, rules.stacks), depth);
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
    if (value instanceof Map) return clean(Object.fromEntries(value), depth);
    return cleanFields(value as LogFields, depth);
  };
  const cleanFields = (fields: LogFields, depth: number): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => {
        if (SECRET_FIELDS.test(key) && value !== null && value !== undefined) return [key, "[redacted]"];
        if (!rules.content && CONTENT_FIELDS.has(key) && typeof value !== "number" && value !== null)
          return [key, "[omitted]"];
        return [key, clean(value, depth + 1)];
      }),
    );
  return { text: (text) => visibleLine(rules.mask(text)), fields: (fields) => cleanFields(fields, 0) };
}

function errorFields(error: Error, stacks: boolean): LogFields {
  const code = "code" in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: error.cause };
  const stack = stacks ? { stack: error.stack } : {};
  return { type: error.name, message: error.message, ...code, ...cause, ...stack };
}
