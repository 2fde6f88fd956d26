import type { ModelErrorCode } from "../../errors.ts";
import type { LearntQuirks, Quirks } from "../../quirks.ts";

/** What a request says to a model where the stored conversation has nothing that its server takes. */
export const emptyMessage = "(empty message)";
export const earlierLeftOut = "[System: earlier messages are not shown]";
export const continueRequest = "[System: go on]";
/** Between tool results and a new message, for servers that want an assistant message there. */
export const understood = "Understood.";

export function pictureNotSent(mime: string, bytes: number): string {
  return `[Picture, ${mime}, ${bytes} bytes: you cannot see it, because its format or size is not supported. Tell the person; a smaller JPEG or PNG file may work]`;
}

export function strayResult(tool: string, result: string): string {
  return `[System: an earlier result of ${tool}: ${result}]`;
}

/** FC-311: after an answer without text. */
export const emptyAnswerNudge =
  "[System: your last answer had no text. Answer the message above now. If there is nothing to say, answer exactly NO_REPLY.]";

/** Below an answer that ended too early; the model sees it too, so that "continue" works. */
export const answerCut = '*(This answer was cut off. Write "continue" for the rest.)*';

/** Calls and results for a server without tools. */
export function callInWords(tool: string, args: string): string {
  return `[Called ${tool} ${args}]`;
}

export function resultInWords(tool: string, result: string): string {
  return `[Result of ${tool}] ${result}`;
}

/** Why a model call failed, as the operator reads it in `status`, the page and the log. */
export const MODEL_ERRORS: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "the provider's rate limit is reached",
  unavailable: "the provider is not available",
  context_overflow: "the conversation is longer than the model's context window",
  unauthorized: "the provider refuses the API key or the account",
  no_credit: "the account has no credit left",
  unknown_model: "the provider has no such model",
  bad_request: "the provider refuses the request",
  bad_response: "the answer could not be read",
  no_answer: "the model gave neither text nor a call",
  filtered: "the provider withheld the answer",
  idle: "the model said nothing",
  aborted: "the call was aborted",
};

export function modelIdle(ms: number): string {
  return `the model said nothing for ${ms / 1000} s`;
}

export function connectionFailed(code: string): string {
  return `the connection failed (${code})`;
}

export const ENDED_WITHOUT_END = "the answer ended without an end";
export const ANSWER_TOO_LARGE = "the answer is too large";
export const SUMMARY_CUT = "the summary was cut off";
export const SUMMARY_EMPTY = "the summary is empty";
export const NO_MODEL = "no model is configured";
export const ABORTED_WHILE_WAITING = "aborted while waiting to try again";

export function providerNotConfigured(model: string): string {
  return `${model}: no provider with this id is configured`;
}

const LEFT_OUT: { readonly [K in keyof Quirks]?: (value: Quirks[K]) => string } = {
  reasoningBack: (value) =>
    ({ none: "earlier reasoning", loop: "older reasoning", calls: "calls without their reasoning", all: "nothing" })[
      value
    ],
  thinking: () => "the thinking level",
  streamUsage: () => "the request for token counts",
  pictures: () => "pictures",
  callIds: () => "its own tool call ids",
  signedCalls: () => "calls without a thought signature",
  userAfterResults: () => "messages right after tool results",
  system: () => "a system message",
  tools: (value) => (value === "none" ? "tools" : "details of tool arguments"),
  withoutTools: (value) => `the tools ${value.join(", ")}`,
  cacheMarks: () => "cache marks",
  maxOutput: (value) => `more than ${value} tokens per answer`,
};

/** What a model is no longer sent, after its server refused it (FC-301). */
export function leftOutForModel({ quirks, pictures }: Pick<LearntQuirks, "quirks" | "pictures">): string {
  const named = Object.entries(quirks).map(([key, value]) => {
    const text = LEFT_OUT[key as keyof Quirks] as ((value: unknown) => string) | undefined;
    return text?.(value) ?? key;
  });
  const some =
    pictures.length > 0 && quirks.pictures === undefined
      ? [pictures.length === 1 ? "one refused picture" : `${pictures.length} refused pictures`]
      : [];
  return [...named, ...some].join(", ");
}

export function learntInList(leftOut: string): string {
  return `sent without ${leftOut}`;
}

export function learntFinding(model: string, leftOut: string, because: string): string {
  return `${model} refused a request (${because}). Switchyard now leaves out: ${leftOut}`;
}

export const learntFix = "Nothing to do. To change it, set models.providers.<id>.models.<name>.quirks.";
