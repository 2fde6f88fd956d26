import { countPieces, readNumber } from "./counting.ts";
import { aboutFiles } from "./files.ts";
import { type DemoInput, readInput } from "./input.ts";
import { type DemoReply, type DemoRequest, say, textOf } from "./reply.ts";
import { spawnRequest } from "./spawn-request.ts";
import { HINT, INTRODUCTION, LONG_TEXT, MARKDOWN_SAMPLE } from "./texts.ts";
import { offered, toolRequest } from "./tool-request.ts";

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
      const input = readInput(textOf(message));
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
