import type { ModelMessage } from "../../../core/model.ts";
import { completionReport } from "./completions.ts";
import { readInput } from "./input.ts";
import { type DemoReply, type DemoRequest, say, textOf } from "./reply.ts";
import { answerRequest } from "./requests.ts";
import { demoSummary } from "./summary.ts";
import { afterToolResults } from "./tool-results.ts";

/**
 * What the demo model answers. After a tool result it says what happened; a completion it reports; everything else is
 * looked up in its list of requests.
 */
export function demoReply(request: DemoRequest): DemoReply {
  const summary = demoSummary(request);
  if (summary !== null) return summary;
  const { messages } = request;
  if (messages.at(-1)?.role === "tool") return afterToolResults(request);
  const inputs = trailingUserMessages(messages).map((message) => readInput(textOf(message)));
  const reports = inputs.flatMap((input) =>
    input.kind === "completion" ? input.completions.map(completionReport) : [],
  );
  // A notice is answered only when nobody asks for anything beside it.
  const asked = inputs.findLast((input) => input.kind !== "completion" && input.kind !== "notice");
  const last = asked ?? inputs.findLast((input) => input.kind === "notice");
  if (last === undefined || last.kind === "completion")
    return say(reports.length > 0 ? reports.join("\n") : "I have nothing to answer yet.");
  const answer = answerRequest(last, request);
  if (reports.length === 0) return answer;
  return { pieces: [...say(`${reports.join("\n")}\n`).pieces, ...answer.pieces], calls: answer.calls };
}

function trailingUserMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(messages.findLastIndex((message) => message.role !== "user") + 1);
}
