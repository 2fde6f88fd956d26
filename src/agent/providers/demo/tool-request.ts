import { callTools, type DemoCall, type DemoReply, type DemoRequest, say } from "./reply.ts";

/** Requests that are one tool call. */
const TOOL_REQUESTS: readonly { readonly words: RegExp; readonly call: (match: RegExpExecArray) => DemoCall }[] = [
  { words: /\blist\s+(?:all\s+|the\s+|my\s+)?sessions\b/i, call: () => ({ name: "sessions_list", args: {} }) },
  {
    words: /\b(?:read|show|get)\s+(?:me\s+)?(?:the\s+)?history\s+of\s+["']?([^\s"']+)/i,
    call: ([, sessionKey = ""]) => ({ name: "sessions_history", args: { sessionKey } }),
  },
  { words: /\b(?:list|show)\s+(?:all\s+|the\s+)?agents\b/i, call: () => ({ name: "agents_list", args: {} }) },
  {
    words: /\b(?:list|show)\s+(?:all\s+|the\s+|my\s+)?(?:helpers|sub-?agents)\b/i,
    call: () => ({ name: "subagents", args: { action: "list" } }),
  },
  {
    words: /\b(?:stop|kill)\s+(all\s+(?:the\s+)?)?(?:the\s+|my\s+)?(?:helpers?|sub-?agents?)\b\s*["']?([\w:.-]+)?/i,
    call: ([, all, target]) => ({
      name: "subagents",
      args: { action: "kill", target: all === undefined ? (target ?? "last") : "all" },
    }),
  },
  {
    words: /\b(?:tell|steer)\s+the\s+(?:helper|sub-?agent)\s+(?:to\s+)?(.+)$/is,
    call: ([, message = ""]) => ({ name: "subagents", args: { action: "steer", target: "last", message } }),
  },
  {
    words: /^\s*(?:please\s+)?(?:yield|wait\s+for\s+(?:the|all|my)\s+(?:helpers?|sub-?agents?))\b/i,
    call: () => ({ name: "sessions_yield", args: {} }),
  },
  {
    words: /^\s*(?:(?:what(?:'s|\s+is)|show|give)\s+(?:me\s+)?(?:the\s+|your\s+)?)?(?:session\s+)?status\b[\s?.!]*$/i,
    call: () => ({ name: "session_status", args: {} }),
  },
];

/** The tool call that the text asks for, or null when it asks for none. */
export function toolRequest(text: string, request: DemoRequest): DemoReply | null {
  for (const entry of TOOL_REQUESTS) {
    const match = entry.words.exec(text);
    if (match !== null) return offered(request, entry.call(match));
  }
  return null;
}

export function offers(request: DemoRequest, tool: string): boolean {
  return request.tools.some((candidate) => candidate.name === tool);
}

/** The call, or the sentence that says that this turn has no such tool. */
export function offered(request: DemoRequest, call: DemoCall): DemoReply {
  return offers(request, call.name) ? callTools([call]) : refusal(call.name);
}

export function refusal(tool: string): DemoReply {
  return say(`I would need the tool ${tool} for that, but it is not offered to me in this turn.`);
}
