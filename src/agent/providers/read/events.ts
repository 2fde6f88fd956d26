import type { Json } from "../../../core/json.ts";

export type StreamEvent =
  | { readonly type: "value"; readonly value: Json }
  /** The stream says that it is over. */
  | { readonly type: "over" }
  /** A line that cannot be read. */
  | { readonly type: "broken" };

/**
 * The values of a model's stream, whatever carries them (FC-310): server-sent events with or without blank lines, with comments,
 * any line ends and a broken line; one JSON text to a streaming request; one JSON a line. A comment gives nothing.
 */
export async function* streamEvents(chunks: AsyncIterable<string>): AsyncIterable<StreamEvent> {
  const lines = createLines();
  const body = createBody();
  for await (const chunk of chunks) for (const line of lines.push(chunk)) yield* body.line(line);
  for (const line of lines.end()) yield* body.line(line);
  yield* body.end();
}

function createLines() {
  let rest = "";
  let isFirst = true;
  const cut = (text: string): string[] => {
    const parts = text.split(/\r\n|\n|\r/);
    rest = parts.pop() ?? "";
    return parts;
  };
  return {
    push(chunk: string): string[] {
      const text = isFirst && chunk.charCodeAt(0) === 0xfeff ? chunk.slice(1) : chunk;
      isFirst = false;
      const whole = rest + text;
      // A carriage return at the end may be half of a line end.
      if (!whole.endsWith("\r")) return cut(whole);
      const parts = cut(whole.slice(0, -1));
      rest += "\r";
      return parts;
    },
    end: (): string[] => (rest === "" ? [] : [rest.replace(/\r$/, "")]),
  };
}

function createBody() {
  /** Data lines that are no JSON yet. */
  let pending: string[] = [];
  /** Lines of a JSON text that is no event stream. */
  let plain: string[] = [];
  let isEvents: boolean | null = null;
  let eventName = "";
  let plainGave = false;

  function* flush(): Iterable<StreamEvent> {
    if (pending.length === 0) return;
    const value = parsed(pending.join("\n")) ?? parsed(pending.join("")) ?? salvaged(pending.join(""));
    const text = pending.join("\n");
    pending = [];
    if (value !== undefined) yield { type: "value", value };
    else if (eventName === "error") yield { type: "value", value: { error: { message: text } } };
    else yield { type: "broken" };
  }

  function* data(text: string): Iterable<StreamEvent> {
    if (text.trim() === "[DONE]") {
      yield* flush();
      yield { type: "over" };
      return;
    }
    if (text.trim() === "") return;
    const value = parsed(text);
    if (value === undefined) {
      pending.push(text);
      const joined = pending.length > 1 ? parsed(pending.join("\n")) : undefined;
      if (joined === undefined) return;
      pending = [];
      yield { type: "value", value: joined };
      return;
    }
    yield* flush();
    yield { type: "value", value };
  }

  return {
    *line(line: string): Iterable<StreamEvent> {
      if (isEvents === null && line.trim() !== "") isEvents = !/^\s*[[{]/.test(line);
      if (isEvents !== true) {
        plain.push(line);
        const value = /^\s*\{.*\}\s*$/.test(line) ? parsed(line) : undefined;
        if (value === undefined) return;
        plainGave = true;
        yield { type: "value", value };
        return;
      }
      if (line === "") {
        yield* flush();
        eventName = "";
        return;
      }
      const field = /^\s*(data|event)\s*:\s?(.*)$/s.exec(line);
      if (field?.[1] === "event") eventName = (field[2] ?? "").trim();
      else if (field !== null) yield* data(field[2] ?? "");
      else if (/^\s*\{/.test(line)) yield* data(line);
    },
    *end(): Iterable<StreamEvent> {
      yield* flush();
      if (isEvents !== false || plainGave) return;
      const value = parsed(plain.join("\n"));
      plain = [];
      for (const one of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
        yield one === undefined ? { type: "broken" } : { type: "value", value: one };
      }
      if (value !== undefined) yield { type: "over" };
    },
  };
}

function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A whole object with something behind it. */
function salvaged(text: string): Json | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  return start < 0 || end < start ? undefined : parsed(text.slice(start, end + 1));
}
