import { type ChatRequest, type ModelReply, messageText, say } from "../support/emulators/model/index.ts";
import type { Asked } from "./flow.ts";
import { FLOWS } from "./flows.ts";

const ANSWERS = new Map(FLOWS.flatMap(({ model = {} }) => Object.entries(model)));

/**
 * What the model answers in every flow: a function of the request alone, because after a crash the same question comes
 * again. The last user message says what is asked, by its last two words (a verb of a flow and the case's mark) or as a
 * completion or a part of an exchange; tool results after it say how far it got.
 */
export function replyTo({ messages }: ChatRequest): ModelReply {
  const at = messages.findLastIndex((message) => message.role === "user");
  const message = messages[at];
  const input = message === undefined ? "" : messageText(message);
  const results = messages
    .slice(at)
    .filter(({ role }) => role === "tool")
    .map(messageText);
  const { verb, mark } = read(input) ?? inExchange(input, messages.map(messageText)) ?? { verb: "", mark: "" };
  const answer = ANSWERS.get(verb);
  const asked: Asked = { mark, input, results, done: results.length };
  return answer === undefined ? say(`What is "${input}"?`) : answer(asked);
}

interface Read {
  readonly verb: string;
  readonly mark: string;
}

/** `result`: the completion of a sub-agent that did its work; `inner`: of one that had a sub-agent itself; `ended`: of one that did not. */
function read(input: string): Read | null {
  if (input.includes("[Completion of")) {
    const [, mark] = /^Result of (\w+)\.$/m.exec(input) ?? [];
    if (mark !== undefined) return { verb: "result", mark };
    const [, unfinished] = /sub-agent "sub-agent (\w+)" \(\S+\): (?!ok)/.exec(input) ?? [];
    if (unfinished !== undefined) return { verb: "ended", mark: unfinished };
    const [, inner = ""] = /^Sub-agent says: Result of (\w+)\.$/m.exec(input) ?? [];
    return { verb: "inner", mark: inner };
  }
  const [, verb, mark] = /\b([a-z]+) (m\w+)$/.exec(input.trim()) ?? [];
  return verb === undefined || mark === undefined ? null : { verb, mark };
}

/** What the program itself asks in an exchange names no mark: it is the one that was talked about. */
function inExchange(input: string, texts: readonly string[]): Read | null {
  const [, stage] = /\[(Reply|Announce)\b/.exec(input) ?? [];
  const mark = texts.flatMap((text) => text.match(/\bm\d+\b/g) ?? []).at(-1);
  return stage === undefined || mark === undefined ? null : { verb: stage.toLowerCase(), mark };
}
