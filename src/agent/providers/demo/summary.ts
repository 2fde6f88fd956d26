import { SUMMARY_TASK } from "../../../core/texts/agent/summary.ts";
import { type DemoReply, type DemoRequest, say, textOf } from "./reply.ts";

const KEPT = 1_500;

/** TN-12, as far as a model without understanding can: it keeps the newest words. null: no summary is asked for. */
export function demoSummary({ system, messages }: DemoRequest): DemoReply | null {
  if (!system.startsWith(SUMMARY_TASK)) return null;
  const text = messages.map(textOf).join("\n");
  const [, conversation = ""] = /The conversation:\n([\s\S]*)\n\nWrite the summary/.exec(text) ?? [];
  return say(`The demo model keeps the newest words of the older part:\n${conversation.slice(-KEPT).toWellFormed()}`);
}
