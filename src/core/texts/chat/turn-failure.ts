import { MODEL_FAILURES } from "./model-failures.ts";

/** Why a turn failed, as far as people are told (TN-5, TN-6, TN-7, TN-16). */
export type FailureReason =
  | "model"
  | keyof typeof MODEL_FAILURES
  | "timeout"
  | "max_steps"
  | "same_call"
  | "interrupted"
  | "daily_limit"
  | "no_tools"
  | "no_agent"
  | "internal";

export const TURN_FAILURES: Readonly<Record<FailureReason, string>> = {
  model: "I could not get an answer from my model. Please try again in a moment.",
  ...MODEL_FAILURES,
  timeout: "This took longer than I am allowed to work on one message, so I stopped.",
  max_steps: "This needed more steps than I am allowed to take, so I stopped.",
  same_call: "I repeated the same step without getting further, so I stopped.",
  interrupted: "I was interrupted several times while working on this and gave up. Please ask again.",
  daily_limit: "I have reached my limit for today. I can continue tomorrow.",
  no_tools: "My tool settings leave me nothing to work with here. The operator can see this.",
  no_agent: "The agent of this conversation is no longer configured. The operator can see this.",
  internal: "Something went wrong on my side. The operator can see this.",
};

/** CP-5: what people see of a sub-agent's result that could not be worked on. */
export function resultNotice(excerpt: string): string {
  return `A sub-agent's result arrived, but I could not work on it. ${excerpt}`;
}
