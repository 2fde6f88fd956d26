import type { Json, JsonObject } from "../../../core/json.ts";
import { readInput } from "./input.ts";
import { callTools, type DemoReply, type DemoRequest, demoInputText, say } from "./reply.ts";
import { offers, wantsToWait } from "./requests.ts";

interface Finished {
  readonly name: string;
  readonly args: JsonObject;
  readonly result: JsonObject;
}

/** One plain sentence per finished call; after a spawn that the person wants to wait for, the yield. */
export function afterToolResults(request: DemoRequest): DemoReply {
  const finished = finishedCalls(request);
  const text = finished.map(sentence).join("\n");
  const started = finished.some((call) => call.name === "sessions_spawn" && call.result.status === "accepted");
  if (started && wantsToWait(lastRequestText(request)) && offers(request, "sessions_yield")) {
    return callTools([{ name: "sessions_yield", args: {} }], text);
  }
  return say(text);
}

function sentence(call: Finished): string {
  const { name, args, result } = call;
  const status = text(result.status);
  const error = text(result.error);
  if (status === "error" || status === "forbidden") return `${FAILED.get(name) ?? `The tool ${name} failed`}: ${error}`;
  switch (name) {
    case "sessions_spawn": {
      if (args.thread === true)
        return `I started the sub-agent "${text(args.label)}"; it answers in a thread of its own.`;
      return `I started the sub-agent "${text(args.label)}"; I will tell you its result.`;
    }
    case "sessions_list": {
      const rows = objects(result.sessions);
      const listed = rows.slice(0, 10).map((row) => `${text(row.key)} (${text(row.status)})`);
      return `I can see ${rows.length} ${rows.length === 1 ? "session" : "sessions"}: ${listed.join(", ")}`;
    }
    case "sessions_history": {
      const rows = objects(result.messages);
      const last = rows.at(-1);
      const said = last === undefined ? "" : ` The last one says: "${messageText(last)}"`;
      return `I read ${rows.length} messages of ${text(args.sessionKey)}.${said}`;
    }
    case "sessions_send":
      return sent(text(args.sessionKey ?? args.label), status, result);
    case "session_status":
      return text(result.text ?? result.card) || `The status of this session: ${JSON.stringify(result)}`;
    case "agents_list": {
      const ids = objects(result.agents).map((agent) => text(agent.id ?? agent.agentId));
      return `I may start sub-agents with these agents: ${ids.join(", ")}`;
    }
    case "subagents":
      return controlled(text(args.action), result);
    default:
      return `The tool ${name} answered with status ${status}.`;
  }
}

const FAILED: ReadonlyMap<string, string> = new Map([
  ["sessions_spawn", "The sub-agent could not be started"],
  ["sessions_send", "The message could not be sent"],
  ["sessions_history", "The history could not be read"],
  ["sessions_yield", "There is nothing to wait for"],
  ["subagents", "That did not work with the sub-agent"],
]);

function sent(target: string, status: string, result: JsonObject): string {
  switch (status) {
    case "ok":
      return `${target} answered: "${text(result.reply)}"`;
    case "accepted":
      return `The message to ${target} is on its way.`;
    case "no_reply":
      return `${target} got the message and chose not to answer.`;
    case "timeout":
      return `${target} has not answered yet; its late answer will come to me.`;
    default:
      return `The message to ${target} ended with status ${status}.`;
  }
}

function controlled(action: string, result: JsonObject): string {
  if (action === "list") {
    const rows = [...objects(result.subagents), ...objects(result.active), ...objects(result.runs)];
    if (rows.length === 0) return "There are no sub-agents at the moment.";
    return `Sub-agents: ${rows.map((row) => `${text(row.label ?? row.key)} (${text(row.status)})`).join(", ")}`;
  }
  const note = text(result.message ?? result.note);
  const done = action === "kill" ? "The sub-agent was stopped" : "The sub-agent got the new guidance";
  return note === "" ? `${done}.` : `${done}: ${note}`;
}

function finishedCalls(request: DemoRequest): Finished[] {
  const at = request.messages.findLastIndex((message) => message.role === "assistant");
  const calls = request.messages[at]?.parts ?? [];
  return request.messages.slice(at + 1).flatMap((message) =>
    message.parts.flatMap((part) => {
      if (part.type !== "tool_result") return [];
      const call = calls.find((candidate) => candidate.type === "tool_call" && candidate.callId === part.callId);
      const args = call?.type === "tool_call" ? call.args : null;
      return [{ name: part.name, args: object(args), result: object(part.result) }];
    }),
  );
}

function lastRequestText(request: DemoRequest): string {
  const message = request.messages.findLast((candidate) => candidate.role === "user");
  if (message === undefined) return "";
  const input = readInput(demoInputText(message));
  return input.kind === "completion" ? "" : input.text;
}

function messageText(row: JsonObject): string {
  const content = row.text ?? row.content ?? "";
  const full =
    typeof content === "string"
      ? content
      : objects(content)
          .map((part) => text(part.text))
          .join(" ");
  return full.length > 200 ? `${full.slice(0, 199)}…` : full;
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((entry: Json) => object(entry)) : [];
}

function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
