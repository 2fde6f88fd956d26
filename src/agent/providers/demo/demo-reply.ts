import type { ModelMessage } from "../../../core/model.ts";
import { SUMMARY_TASK } from "../../../core/texts/agent/summary.ts";
import { completionReport, readInput } from "./input.ts";
import { type DemoReply, type DemoRequest, demoInputText, say } from "./reply.ts";
import { answerRequest } from "./requests.ts";
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
  const inputs = trailingUserMessages(messages).map((message) => readInput(demoInputText(message)));
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

const KEPT = 1_500;

/** TN-12, as far as a model without understanding can: it keeps the newest words. null: no summary is asked for. */
export function demoSummary({ system, messages }: DemoRequest): DemoReply | null {
  if (!system.startsWith(SUMMARY_TASK)) return null;
  const text = messages.map(demoInputText).join("\n");
  const [, conversation = ""] = /The conversation:\n([\s\S]*)\n\nWrite the summary/.exec(text) ?? [];
  return say(`The demo model keeps the newest words of the older part:\n${conversation.slice(-KEPT).toWellFormed()}`);
}
