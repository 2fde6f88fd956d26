import {
  answer,
  type ChatRequest,
  call,
  delay,
  type ModelReply,
  messageText,
  say,
  text,
  toolCall,
} from "../support/emulators/model/index.ts";

/** One way of a message through the program: what a person writes, what the model does, what must be read in the end. */
export interface Flow {
  readonly name: string;
  says(mark: string): string;
  /** Each exactly once, in this order. */
  answers(mark: string): readonly string[];
  /** May stand there once or not: a completion that comes while its requester still runs makes it unnecessary (CP-3). */
  mayAnswer(mark: string): readonly string[];
}

const NOTHING = (): readonly string[] => [];

export const FLOWS: readonly Flow[] = [
  { name: "plain answer", says: (m) => `plain ${m}`, answers: (m) => [`Answer to ${m}.`], mayAnswer: NOTHING },
  {
    name: "streamed answer",
    says: (m) => `stream ${m}`,
    answers: (m) => [`Answer in pieces to ${m}.`],
    mayAnswer: NOTHING,
  },
  { name: "tool call", says: (m) => `tool ${m}`, answers: (m) => [`Looked for ${m}.`], mayAnswer: NOTHING },
  {
    name: "spawn with completion",
    says: (m) => `spawn ${m}`,
    answers: (m) => [`Helper says: Result of ${m}.`],
    mayAnswer: (m) => [`Started for ${m}.`],
  },
  {
    name: "yield",
    says: (m) => `yield ${m}`,
    answers: (m) => [`Helper says: Result of ${m}.`],
    mayAnswer: (m) => [`Nothing to wait for in ${m}.`],
  },
];

/**
 * What the model answers in every flow: a function of the request alone, because after a crash the same question comes
 * again. The last user message says what is asked; tool results after it say how far it got.
 */
export function replyTo(request: ChatRequest): ModelReply {
  const at = request.messages.findLastIndex((message) => message.role === "user");
  const asked = request.messages[at];
  const input = asked === undefined ? "" : messageText(asked);
  const done = request.messages.slice(at).filter((message) => message.role === "tool").length;
  const result = /^Result of (\w+)\.$/m.exec(input)?.[1];
  if (result !== undefined && input.includes("[Completion of")) return say(`Helper says: Result of ${result}.`);
  const [, verb, mark] = /\b(plain|stream|tool|spawn|yield|work) (m\w+)$/.exec(input.trim()) ?? [];
  switch (verb) {
    case "plain":
      return say(`Answer to ${mark}.`);
    case "stream":
      return answer(text("Answer in "), delay(450), text(`pieces to ${mark}.`));
    case "tool":
      return done === 0 ? call("session_status", {}) : say(`Looked for ${mark}.`);
    case "spawn":
      return done === 0
        ? call("sessions_spawn", { task: `work ${mark}`, label: `helper ${mark}` })
        : say(`Started for ${mark}.`);
    case "yield":
      return done === 0
        ? answer(
            toolCall("sessions_spawn", { task: `work ${mark}`, label: `helper ${mark}` }),
            toolCall("sessions_yield", {}),
          )
        : say(`Nothing to wait for in ${mark}.`);
    case "work":
      return say(`Result of ${mark}.`);
    default:
      return say(`What is "${input}"?`);
  }
}
