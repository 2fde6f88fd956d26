import { commandTexts } from "../commands/frame.ts";
import { httpTexts } from "../http.ts";
import { notices } from "./notices.ts";

/** Whether the person should send the same message again. */
export type Again = "now" | "soon" | "reworded" | "after the fix" | "no";

export interface Failure {
  /** What happened, as the docs list it. */
  readonly cause: string;
  /** What anybody may read: true, without a name, an address, a key or a setting. null: nothing is said there. */
  readonly person: string | null;
  /** What an owner does about it. In a private conversation they read it below the person's line, with the cause. */
  readonly owner: string;
  readonly again: Again;
}

/** Why a turn failed, with the words for people and for owners (TN-5, TN-6, TN-7, TN-16, FC-301, FC-311, FC-334). */
export const TURN_FAILURES = {
  model_account: {
    cause: "The provider refuses the API key, or there is none",
    person:
      "I can't use my model right now: its provider refuses my account. Trying again won't help until this is fixed.",
    owner: "Check `models.providers.<id>.apiKey`, then run `switchyard doctor`.",
    again: "after the fix",
  },
  model_credit: {
    cause: "The account has no credit left",
    person:
      "I can't use my model right now: my account has no credit left. Trying again won't help until this is fixed.",
    owner: "Add credit at the provider, or set `agents.defaults.fallbacks`.",
    again: "after the fix",
  },
  model_unknown: {
    cause: "The provider has no such model",
    person: "My model isn't available at its provider. Trying again won't help. Use /model to choose another one.",
    owner: "Use `/models` for a list. Check `agents.defaults.model` and the provider's `baseUrl`.",
    again: "after the fix",
  },
  model_refused: {
    cause: "The provider refuses the request",
    person:
      "My model does not accept this conversation. Use /new to start over, /compact to shorten it, or /model to choose another model.",
    owner: "`switchyard status` shows the provider's words.",
    again: "no",
  },
  model_too_long: {
    cause: "The conversation is too long",
    person:
      "This conversation is too long for my model. Use /compact to shorten it, /new to start over, or /model to choose another model.",
    owner: "Check `contextTokens` of the model if its server allows less than Switchyard assumes.",
    again: "no",
  },
  model_filtered: {
    cause: "The provider withheld the answer because of its content rules",
    person:
      "My model's provider withheld the answer because of its content rules. Rephrase your message, or use /model to choose another model.",
    owner: "The provider decides this. Another model may answer.",
    again: "reworded",
  },
  model_no_answer: {
    cause: "The model gave an empty answer, twice",
    person: "My model gave no answer. Rephrase your message, or use /model to choose another model.",
    owner: "Small models do this often. Another model may answer.",
    again: "reworded",
  },
  model_limit: {
    cause: "The provider's rate limit is reached",
    person: "My model is over its limit right now. Try again in a few minutes.",
    owner: "Raise the limit at the provider, or set `agents.defaults.fallbacks`.",
    again: "soon",
  },
  model_slow: {
    cause: "The model said nothing for too long",
    person: "My model didn't answer in time. Try again.",
    owner: "For a slow server, raise `models.providers.<id>.firstToken`.",
    again: "now",
  },
  model_unreachable: {
    cause: "The provider can't be reached, or is down",
    person: "I can't reach my model right now. Try again in a few minutes.",
    owner: "Run `switchyard doctor`. It asks the provider.",
    again: "soon",
  },
  model: {
    cause: "The provider's answer can't be read",
    person: "My model's answer was damaged. Try again in a moment.",
    owner: "Check that `baseUrl` is the address of a model server, not of a web page.",
    again: "now",
  },
  timeout: {
    cause: "The turn took longer than `timeoutSeconds`",
    person: "This took longer than I am allowed to work on one message, so I stopped. Ask for a smaller part of it.",
    owner: "Raise `agents.defaults.timeoutSeconds`.",
    again: "reworded",
  },
  max_steps: {
    cause: "The turn needed more than `maxSteps`",
    person: "This needed more steps than I am allowed to take, so I stopped. Ask for a smaller part of it.",
    owner: "Raise `agents.defaults.maxSteps`.",
    again: "reworded",
  },
  same_call: {
    cause: "The model repeated the same step",
    person: "I repeated the same step without getting further, so I stopped. Rephrase your message.",
    owner: "Small models do this often. Another model may get further.",
    again: "reworded",
  },
  interrupted: {
    cause: "Switchyard was stopped three times during the turn",
    person: "I was interrupted several times while working on this and gave up. Please ask again.",
    owner: "The log shows why the process ended.",
    again: "now",
  },
  chain_limit: {
    cause: "A request set off more work than `session.chains` allows",
    person:
      "My work on this was stopped, together with everything else your request set off. Ask for a smaller part of it.",
    owner: "The log shows what it set off. Raise the limits of `session.chains`.",
    again: "reworded",
  },
  daily_limit: {
    cause: "The agent's limit for the day is reached",
    person: "I have reached my limit for today. I can continue tomorrow.",
    owner: "Raise `limits.daily`.",
    again: "soon",
  },
  no_tools: {
    cause: "The tool policy leaves no tool",
    person: "My tool settings leave me nothing to work with here. Trying again won't help until this is fixed.",
    owner: "Check the `tools` settings of the agent and of this place.",
    again: "after the fix",
  },
  no_agent: {
    cause: "The conversation's agent is no longer configured",
    person: "The agent of this conversation is no longer configured. Trying again won't help until this is fixed.",
    owner: "Add the agent again, or use /new.",
    again: "after the fix",
  },
  internal: {
    cause: "A fault of Switchyard",
    person: "Something went wrong on my side. The operator can see this.",
    owner: "The log has the details.",
    again: "now",
  },
} as const satisfies Readonly<Record<string, Failure & { readonly person: string }>>;

export type FailureReason = keyof typeof TURN_FAILURES;

/** What fails before or after a turn, with what is said about it (FC-334). The words are those of the surface that says them. */
export const OTHER_FAILURES = {
  too_fast: {
    cause: "A person sends too many messages in a minute",
    person: notices.tooFast,
    owner: "Raise `limits.perSender`.",
    again: "soon",
  },
  closed_place: {
    cause: "A slash command in a server, group or chat that is not allowed",
    person: notices.commandRefused,
    owner: "The log shows which setting refuses it.",
    again: "after the fix",
  },
  no_permission: {
    cause: "The person may not use commands",
    person: commandTexts.notAllowed,
    owner: "Add the person to `commands.allowFrom`.",
    again: "after the fix",
  },
  role: {
    cause: "The command is for owners only",
    person: commandTexts.onlyFor("owner", "config"),
    owner: "Add the person to `commands.ownerAllowFrom`.",
    again: "after the fix",
  },
  unknown_command: {
    cause: "There is no such command",
    person: commandTexts.mistyped("modell", ["model"]),
    owner: "Type `/help` for a list.",
    again: "reworded",
  },
  command_failed: {
    cause: "A command fails by a fault of Switchyard",
    person: commandTexts.failed("status"),
    owner: "The log has the details.",
    again: "now",
  },
  page: {
    cause: "The chat page meets a fault of Switchyard",
    person: httpTexts.failed,
    owner: "The log has the details.",
    again: "now",
  },
  store: {
    cause: "The store is full or can't be written",
    person: null,
    owner: "Free some space. Switchyard then continues; `/healthz` and the log show the file.",
    again: "no",
  },
  platform: {
    cause: "The platform refuses or can't take a reply",
    person: null,
    owner: "`switchyard deliveries --failed` shows the platform's words. Temporary failures are retried for 24 hours.",
    again: "no",
  },
} as const satisfies Readonly<Record<string, Failure>>;

export const AGAIN: Readonly<Record<Again, string>> = {
  now: "yes",
  soon: "later",
  reworded: "in other words",
  "after the fix": "after the fix",
  no: "no",
};

/** An owner's line in a private conversation: what people read, the cause, and the fix. */
export function failureForOwner(reason: FailureReason, detail: string): string {
  const { person, cause, owner } = TURN_FAILURES[reason];
  return detail === "" ? `${person}\n\n${cause}. ${owner}` : `${person}\n\nCause: ${detail}\n${owner}`;
}
