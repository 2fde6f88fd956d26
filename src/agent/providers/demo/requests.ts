import { HINT, INTRODUCTION, LONG_TEXT, MARKDOWN_SAMPLE } from "../../../core/texts/agent/demo-model.ts";
import { aboutFiles, type DemoInput, readInput } from "./input.ts";
import {
  callTools,
  countPieces,
  type DemoCall,
  type DemoReply,
  type DemoRequest,
  demoInputText,
  readNumber,
  say,
} from "./reply.ts";

type AskedInput = Exclude<DemoInput, { kind: "completion" }>;

interface Asked {
  readonly input: AskedInput;
  readonly request: DemoRequest;
}

/** One thing the demo model understands: the words, and what it does for them. */
interface Understood {
  readonly words: RegExp;
  readonly answer: (match: RegExpExecArray, asked: Asked) => DemoReply;
}

/** In this order; the first that matches answers. Requests that contain others (a task inside a spawn) stand first. */
const UNDERSTOOD: readonly Understood[] = [
  {
    words:
      /\b(?:spawn|start|launch)\s+(an?|one|two|three|four|five|\d)\s+(?:new\s+)?(?:helper|sub-?agent|worker)s?\b(.*)$/is,
    answer: ([, count = "", rest = ""], asked) => spawnRequest(count, rest, asked.request),
  },
  {
    words: /\bsend\s+(?:"([^"]+)"|“([^”]+)”|'(.+?)')\s+to\s+(label\s+)?"?([^\s"]+)"?/is,
    answer: ([, a, b, c, label, target = ""], asked) => {
      const message = a ?? b ?? c ?? "";
      return offered(asked.request, {
        name: "sessions_send",
        args: label === undefined ? { sessionKey: target, message } : { label: target, message },
      });
    },
  },
  {
    words: /\bask\s+(?:session\s+)?(agent:\S+|main)\s*[:,]?\s+(?:to\s+)?(.+)$/is,
    answer: ([, sessionKey = "", message = ""], asked) =>
      offered(asked.request, { name: "sessions_send", args: { sessionKey, message: message.trim() } }),
  },
  {
    words: /\bslowly\s+count\s+to\s+(\w+)|\bcount\s+slowly\s+to\s+(\w+)/i,
    answer: ([, before, after]) => ({ pieces: countPieces(readNumber(before ?? after ?? ""), 300), calls: [] }),
  },
  {
    words: /\bcount\s+to\s+(\w+)/i,
    answer: ([, number = ""]) => ({ pieces: countPieces(readNumber(number), null), calls: [] }),
  },
  { words: /^\s*(?:say|answer)\s+nothing\b/i, answer: () => say("NO_REPLY") },
  { words: /^\s*say\s+exactly:?\s+(.+)$/is, answer: ([, text = ""]) => say(text.trim()) },
  { words: /\bwrite\s+(?:me\s+)?a\s+long\s+text\b/i, answer: () => say(LONG_TEXT) },
  { words: /\bshow\s+(?:me\s+)?(?:some\s+)?markdown\b/i, answer: () => say(MARKDOWN_SAMPLE) },
  {
    words: /\bwhat\s+(?:did|have)\s+I\s+(?:say|said|tell|told|write|written|ask|asked)\b/i,
    answer: (_match, asked) => say(whatWasSaid(asked.request)),
  },
  { words: /\bwhat\s+do\s+you\s+remember\b/i, answer: (_match, asked) => say(whatToRemember(asked.request)) },
  {
    words: /^\s*(?:please\s+)?remember\s+(?:that\s+)?(.+)$/is,
    answer: ([, fact = ""]) => say(`I will remember this as long as this session lives: ${fact.trim()}`),
  },
  {
    words: /^\s*(?:hi|hello|hey|help|\/?start|who are you|what can you do)\b[\s!?.]*$/i,
    answer: () => say(INTRODUCTION),
  },
];

/** The answer to what a person, a parent or another session asked. */
export function answerRequest(input: AskedInput, request: DemoRequest): DemoReply {
  if (input.kind === "reply_back") return say("REPLY_SKIP");
  if (input.kind === "announce") return say("Another session asked me something and got its answer.");
  if (input.kind === "notice") return say(`Noted: ${input.text}`);
  for (const entry of UNDERSTOOD) {
    const match = entry.words.exec(input.text);
    if (match !== null) return entry.answer(match, { input, request });
  }
  const files = aboutFiles(request);
  return toolRequest(input.text, request) ?? say(files ?? echo(input));
}

function echo(input: AskedInput): string {
  const text = input.text.length > 300 ? `${input.text.slice(0, 299)}…` : input.text;
  switch (input.kind) {
    case "task":
      return `I am only the demo model, so this is all I can do with my task "${text}": report that I got it — done.`;
    case "session":
      return `The demo model got your message: "${text}"`;
    default:
      return `You wrote: "${text}"\n${HINT}`;
  }
}

/** What people wrote before their last message, newest first. */
function earlierTexts(request: DemoRequest): string[] {
  return request.messages
    .filter((message) => message.role === "user")
    .slice(0, -1)
    .flatMap((message) => {
      const input = readInput(demoInputText(message));
      return input.kind === "person" && input.text !== "" ? [input.text] : [];
    })
    .reverse();
}

function whatWasSaid(request: DemoRequest): string {
  const texts = earlierTexts(request);
  if (texts.length === 0) return "You have said nothing before in this session.";
  const listed = texts.slice(0, 5).map((text) => `"${text.slice(0, 200)}"`);
  return `Before that you said: ${listed.join(", before that ")}.`;
}

function whatToRemember(request: DemoRequest): string {
  const facts = earlierTexts(request).flatMap((text) => {
    const match = /^\s*(?:please\s+)?remember\s+(?:that\s+)?(.+)$/is.exec(text);
    return match?.[1] === undefined ? [] : [match[1].trim()];
  });
  return facts.length === 0
    ? "You have not asked me to remember anything yet."
    : `You asked me to remember: ${facts.join("; ")}`;
}

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

const THREAD = /\s*\b(?:in|into|inside)\s+(?:a|an|its|their|the)?\s*(?:own|new|separate)?\s*threads?\b/i;
const WAIT = /[\s,;]*\b(?:and|then)\s+(?:then\s+)?(?:wait|yield)\b.*$/is;
const AGENT = /\s*\b(?:as|with|using)\s+agent\s+([a-z0-9_-]+)\b/i;
const LABEL = /\s*\b(?:called|named|labell?ed)\s+["“']?([\w-]+)["”']?/i;

/** True when the person wants the turn to wait for the sub-agents ("… and wait", "… then yield"). */
export function wantsToWait(text: string): boolean {
  return WAIT.test(text);
}

/** `spawn <count> sub-agent(s) <rest>`: one `sessions_spawn` each. */
export function spawnRequest(count: string, rest: string, request: DemoRequest): DemoReply {
  if (!offers(request, "sessions_spawn")) return refusal("sessions_spawn");
  const thread = THREAD.test(rest);
  const agentId = AGENT.exec(rest)?.[1] ?? null;
  const label = LABEL.exec(rest)?.[1] ?? null;
  const task = rest
    .replace(WAIT, "")
    .replace(THREAD, "")
    .replace(AGENT, "")
    .replace(LABEL, "")
    .replace(/^[\s,:]*(?:to|that|who|which|and let it)?\b[\s:]*/i, "")
    .trim()
    .replace(/\.$/, "");
  if (task === "")
    return say("What should the sub-agent do? Write for example: spawn a sub-agent to count to three and report");
  const copies = /^an?$/i.test(count) ? 1 : Math.min(readNumber(count), 5);
  const name = label ?? labelOf(task);
  return callTools(
    Array.from({ length: copies }, (_unused, at) => ({
      name: "sessions_spawn",
      args: {
        task,
        label: copies === 1 ? name : `${name} ${at + 1}`,
        ...(thread ? { thread: true } : {}),
        ...(agentId === null ? {} : { agentId }),
      },
    })),
  );
}

/** The task's first words, without the "and report" that people add. */
function labelOf(task: string): string {
  const words = task.replace(/\s+and\s+(?:then\s+)?report\b.*$/is, "").split(/\s+/);
  return words.slice(0, 5).join(" ").slice(0, 40);
}
