import type { IncomingHttpHeaders } from "node:http";

export interface ChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

/** One request as the emulator received it. */
export interface ChatRequest {
  readonly index: number;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** The client's port: equal for requests over one kept connection. */
  readonly clientPort: number;
  /** Why it was answered with 400, or null. */
  readonly fault: string | null;
  /** Resolves when the response is over; true when the client left before its end. */
  readonly ended: Promise<{ readonly byClient: boolean }>;
}

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

/** Switchyard's note on the session stands before a turn's inputs and ends at an empty line. */
const NOTE = /^\[System: this session at this moment\]\n(?:[^\n]+\n)+\n/;

/** The text of a message, whatever form its content has, without that note. */
export function messageText(message: ChatMessage): string {
  if (message.content === null) return "";
  if (typeof message.content === "string") return message.content.replace(NOTE, "");
  return message.content.map((part) => part.text ?? "").join("");
}

/** The text of the last message of this role, or "". */
export function lastText(request: ChatRequest, role: ChatMessage["role"]): string {
  const message = request.messages.findLast((candidate) => candidate.role === role);
  return message === undefined ? "" : messageText(message);
}

/** The tool results of the last step, by tool call id, as parsed JSON. */
export function lastToolResults(request: ChatRequest): { readonly id: string; readonly result: unknown }[] {
  const start = request.messages.findLastIndex((message) => message.role !== "tool") + 1;
  return request.messages
    .slice(start)
    .map((message) => ({ id: message.tool_call_id ?? "", result: JSON.parse(messageText(message)) as unknown }));
}

/**
 * What OpenAI refuses with 400, or null: unknown roles, missing content, tool results that answer no call of the
 * assistant message before them, and calls that are not all answered before the next user or assistant message.
 */
export function findFault(body: Readonly<Record<string, unknown>>): string | null {
  if (typeof body.model !== "string" || body.model === "") return "you must provide a model parameter";
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must be a non-empty array";
  let open = new Set<string>();
  for (const [at, message] of (body.messages as ChatMessage[]).entries()) {
    const fault = shapeFault(message, at);
    if (fault !== null) return fault;
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) {
        return `messages[${at}] with role 'tool' must be a response to a preceding message with 'tool_calls'`;
      }
      continue;
    }
    if (open.size > 0) {
      return `an assistant message with 'tool_calls' must be followed by tool messages; missing: ${[...open].join(", ")}`;
    }
    open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  if (open.size > 0) return `tool_call_ids without a tool message: ${[...open].join(", ")}`;
  return toolsFault(body.tools);
}

function shapeFault(message: ChatMessage, at: number): string | null {
  if (!ROLES.includes(message.role)) return `messages[${at}].role: invalid value`;
  const calls = message.tool_calls ?? [];
  if (calls.length > 0 && message.role !== "assistant") return `messages[${at}].tool_calls: only for assistants`;
  for (const call of calls) {
    if (typeof call.id !== "string" || typeof call.function?.name !== "string")
      return `messages[${at}].tool_calls: invalid`;
    if (!isJson(call.function.arguments)) return `messages[${at}].tool_calls: arguments must be JSON text`;
  }
  const hasContent =
    typeof message.content === "string" || (Array.isArray(message.content) && message.content.length > 0);
  if (!hasContent && !(message.role === "assistant" && calls.length > 0))
    return `messages[${at}].content: expected a string`;
  return null;
}

function toolsFault(tools: unknown): string | null {
  if (tools === undefined) return null;
  if (!Array.isArray(tools) || tools.length === 0) return "'tools' must be a non-empty array";
  for (const tool of tools as { type?: unknown; function?: { name?: unknown; parameters?: { type?: unknown } } }[]) {
    if (tool.type !== "function") return "tools[].type must be 'function'";
    if (typeof tool.function?.name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name)) {
      return "tools[].function.name is invalid";
    }
    if (tool.function.parameters?.type !== "object") return "tools[].function.parameters must be an object schema";
  }
  return null;
}

function isJson(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
