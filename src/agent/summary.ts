import { ModelError } from "../core/errors.ts";
import { type MessagePart, type TokenUsage, type TranscriptMessage, textOf } from "../core/message/transcript.ts";
import type { ModelRef, ModelRequest } from "../core/model.ts";
import { modelRefText } from "../core/models.ts";
import type { Logger } from "../core/runtime.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { sanitise } from "../core/text/sanitise.ts";
import { SUMMARY_CUT, SUMMARY_EMPTY } from "../core/texts/agent/model-errors.ts";
import { summaryTexts } from "../core/texts/agent/summary.ts";
import { textTokens } from "../sessions/context-window.ts";
import type { Slot } from "../work/work-queue.ts";
import { type BackoffPolicy, callModel } from "./model-call.ts";
import type { AgentRunner } from "./runner.ts";

/** Of one message and of one tool result so many bytes are shown to the summariser. */
const MESSAGE_BYTES = 6_000;
const RESULT_BYTES = 2_000;
/** Of the window, so much is given to one call; more is summarised in several. */
const CALL_SHARE = 0.35;
const MAX_SUMMARY_BYTES = 16 * 1024;

export interface SummaryCall {
  readonly runner: AgentRunner;
  readonly models: readonly ModelRef[];
  /** What the summary should focus on; null: nothing. */
  readonly instructions: string | null;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
  readonly backoff: BackoffPolicy;
}

export interface Summary {
  readonly text: string;
  readonly usage: TokenUsage;
  /** `provider/model` of the one that answered last. */
  readonly model: string;
}

/** Has a model summarise messages (TN-12), in as many calls as its window needs. Rejects with a ModelError. */
export async function summarise(messages: readonly TranscriptMessage[], call: SummaryCall): Promise<Summary> {
  const [first] = call.models;
  const room = first === undefined ? 0 : call.runner.facts(first).contextTokens * CALL_SHARE;
  let text = "";
  let model = "";
  let usage: TokenUsage = { input: 0, output: 0, cached: 0 };
  for (const chunk of chunksOf(messages.map(lineOf), room)) {
    const one = await summariseChunk(text, chunk, call);
    text = one.text;
    model = one.model;
    usage = {
      input: usage.input + one.usage.input,
      output: usage.output + one.usage.output,
      cached: usage.cached + one.usage.cached,
    };
  }
  return { text, usage, model };
}

async function summariseChunk(before: string, chunk: string, call: SummaryCall): Promise<Summary> {
  const text = summaryTexts.request(before, chunk);
  const request = (ref: ModelRef): Promise<ModelRequest> =>
    Promise.resolve({
      model: ref,
      system: summaryTexts.system(call.instructions),
      messages: [{ role: "user", parts: [{ type: "text", text }] }],
      tools: [],
      thinking: null,
    });
  const answer = await callModel({ ...call, request, onText: () => undefined });
  // FC-313: what the summariser thought is no summary, and half of one must not take the conversation's place.
  if (answer.finish === "length") throw new ModelError("bad_response", SUMMARY_CUT);
  const summary = cutMiddle(sanitise(textOf(answer.parts)).text.trim(), MAX_SUMMARY_BYTES).text;
  if (summary === "") throw new ModelError("bad_response", SUMMARY_EMPTY);
  return { text: summary, usage: answer.usage, model: modelRefText(answer.model) };
}

function chunksOf(lines: readonly string[], room: number): readonly string[] {
  const chunks: string[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const size = textTokens(line);
    if (used + size > room) {
      chunks.push([]);
      used = 0;
    }
    chunks.at(-1)?.push(line);
    used += size;
  }
  return chunks.map((chunk) => chunk.join("\n"));
}

function lineOf({ role, parts }: TranscriptMessage): string {
  const shown = parts.map(partText).filter((part) => part !== "");
  // Further lines are set in, so that no text passes for another role's message.
  return `${role}: ${shown.join("\n").replace(/[\n\r\v\f\u0085\u2028\u2029]/g, "\n  ")}`;
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return cutMiddle(part.text, MESSAGE_BYTES).text;
    case "reasoning":
      return "";
    case "tool_call":
      return summaryTexts.call(part.name, cutMiddle(JSON.stringify(part.args), RESULT_BYTES).text);
    case "tool_result":
      return summaryTexts.result(part.name, cutMiddle(JSON.stringify(part.result), RESULT_BYTES).text);
    case "attachment":
      return summaryTexts.file(part.attachment.name, part.attachment.mime);
  }
}
