import { type ChatRequest, type ModelReply, messageText, say } from "./emulators/model/index.ts";

/** What a model is asked, as a test looks at it. */
export interface Asked {
  readonly request: ChatRequest;
  /** The last input: a person's message with its envelope, a task, a completion, a notice. */
  readonly input: string;
  /** All inputs since the model last said something. */
  readonly inputs: readonly string[];
  /** The results of the tool calls since the last input, in order, as JSON text. */
  readonly results: readonly string[];
}

export type Rule = readonly [pattern: RegExp, reply: ModelReply | ((asked: Asked) => ModelReply | Promise<ModelReply>)];

/**
 * A model that answers by what it is asked last: the first rule whose pattern is found in the last input answers. A
 * function of the request alone, so that sessions may come in any order and again after a restart. Without a rule it says
 * what it does not know, which a test then reads.
 */
export function modelRules(...rules: readonly Rule[]): (request: ChatRequest) => Promise<ModelReply> {
  return async (request) => {
    const asked = readAsked(request);
    const rule = rules.find(([pattern]) => pattern.test(asked.input));
    if (rule === undefined) return say(talkedOut(asked.input) ?? `No rule for: ${asked.input}`);
    const [, reply] = rule;
    return typeof reply === "function" ? reply(asked) : reply;
  };
}

/** Without a rule an exchange with another session ends after its first reply, and nothing of it is announced. */
function talkedOut(input: string): string | null {
  if (/\] \[Reply-back \d+\/\d+, run /.test(input)) return "REPLY_SKIP";
  return /\] \[Announce, run /.test(input) ? "ANNOUNCE_SKIP" : null;
}

function readAsked(request: ChatRequest): Asked {
  const { messages } = request;
  const at = messages.findLastIndex((message) => message.role === "user");
  const last = messages[at];
  const saidAt = messages.findLastIndex((message) => message.role === "assistant");
  return {
    request,
    input: last === undefined ? "" : messageText(last),
    inputs: messages
      .slice(saidAt + 1)
      .filter((message) => message.role === "user")
      // Neighbouring inputs are one message on the wire (FC-301); each begins with its envelope.
      .flatMap((message) => messageText(message).split(/\n\n(?=\[(?!Attachment|Picture))/)),
    results: messages
      .slice(at)
      .filter((message) => message.role === "tool")
      .map(messageText),
  };
}
