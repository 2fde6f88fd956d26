import { type ChatRequest, type ModelReply, messageText, say } from "../support/emulators/model/index.ts";
import type { Asked } from "./flow.ts";
import { FLOWS } from "./flows.ts";

const ANSWERS = new Map(FLOWS.flatMap(({ model = {} }) => Object.entries(model)));

/**
 * What the model answers in every flow: a function of the request alone, because after a crash the same question comes
 * again. The last user message says what is asked, by its last two words (a verb of a flow and the case's mark) or as a
 * completion; tool results after it say how far it got.
 */
export function replyTo(request: ChatRequest): ModelReply {
  const at = request.messages.findLastIndex((message) => message.role === "user");
  const message = request.messages[at];
  const input = message === undefined ? "" : messageText(message);
  const done = request.messages.slice(at).filter(({ role }) => role === "tool").length;
  const [, verb = "", mark = ""] = read(input);
  const answer = ANSWERS.get(verb);
  const asked: Asked = { mark, done };
  return answer === undefined ? say(`What is "${input}"?`) : answer(asked);
}

/** `result`: the completion of a helper that did its work; `inner`: of one that had a helper itself. */
function read(input: string): readonly string[] {
  if (input.includes("[Completion of")) {
    const [, mark = ""] = /^Result of (\w+)\.$/m.exec(input) ?? [];
    if (mark !== "") return ["", "result", mark];
    const [, inner = ""] = /^Helper says: Result of (\w+)\.$/m.exec(input) ?? [];
    return ["", "inner", inner];
  }
  return /\b([a-z]+) (m\w+)$/.exec(input.trim()) ?? [];
}
