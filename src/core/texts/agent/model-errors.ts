import type { ModelErrorCode } from "../../errors.ts";

/** Why a model call failed, as the operator reads it in `status`, the page and the log. */
export const MODEL_ERRORS: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "the provider's rate limit is reached",
  unavailable: "the provider is not available",
  context_overflow: "the conversation is longer than the model's context window",
  unauthorized: "the provider refuses the API key or the account",
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
export const SUMMARY_CUT = "the summary was cut off";
export const SUMMARY_EMPTY = "the summary is empty";
export const NO_MODEL = "no model is configured";
export const ABORTED_WHILE_WAITING = "aborted while waiting to try again";

export function providerNotConfigured(model: string): string {
  return `${model}: no provider with this id is configured`;
}
