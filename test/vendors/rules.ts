import { findFault } from "../support/emulators/model/request-check.ts";

/** What one server refuses of a request's body: its words, or null. */
export type Rule = (body: Body) => string | null;
export type Body = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
    readonly extra_content?: { readonly google?: { readonly thought_signature?: unknown } };
  }[];
  readonly [key: string]: unknown;
}

const messagesOf = (body: Body): readonly Message[] => (body.messages ?? []) as readonly Message[];
const picturesIn = (body: Body): number => JSON.stringify(body.messages).split('"image_url":{').length - 1;
const toolTexts = (body: Body): string => JSON.stringify(body.tools ?? []);

/** OpenAI's own order: results right behind their calls. */
export const pairedCalls: Rule = (body) => findFault(body);

export const noBlankText: Rule = (body) =>
  messagesOf(body).some(({ content }) => typeof content === "string" && content.trim() === "")
    ? "text content blocks must contain non-whitespace text"
    : null;

/** Chat templates of many local models: user and assistant by turns, a user first. */
export const alternatingRoles: Rule = (body) => {
  let last = "assistant";
  for (const { role, tool_calls: calls } of messagesOf(body)) {
    if (role === "system" || role === "tool") continue;
    if (role === last && !(role === "assistant" && calls !== undefined))
      return "Conversation roles must alternate user/assistant/user/assistant/...";
    // Behind results the assistant speaks again.
    last = role === "assistant" && calls !== undefined ? "assistant-calls" : role;
    if (last === "assistant-calls") last = "user";
  }
  return null;
};

export const noUserAfterResults: Rule = (body) =>
  messagesOf(body).some(({ role }, at, all) => role === "user" && all[at - 1]?.role === "tool")
    ? "Unexpected role 'user' after role 'tool'"
    : null;

export const nineCharacterIds: Rule = (body) => {
  const wrong = messagesOf(body)
    .flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id))
    .find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  return wrong === undefined ? null : `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`;
};

/** Servers that check every field of a message. */
export const noMessageField =
  (...fields: readonly string[]): Rule =>
  (body) => {
    for (const [at, message] of messagesOf(body).entries()) {
      const found = fields.find((field) => field in message);
      if (found !== undefined) return `'messages.${at}' : property '${found}' is unsupported`;
    }
    return null;
  };

export const noField =
  (field: string, words = `${field}: Extra inputs are not permitted`): Rule =>
  (body) =>
    field in body ? words : null;

export const noPictures =
  (words: string): Rule =>
  (body) =>
    picturesIn(body) > 0 ? words : null;

export const fewPictures =
  (most: number): Rule =>
  (body) =>
    picturesIn(body) > most ? `Too many images: the maximum is ${most}` : null;

export const noKeywords =
  (words: string, ...keywords: readonly string[]): Rule =>
  (body) =>
    keywords.some((keyword) => toolTexts(body).includes(`"${keyword}":`)) ? words : null;

/** Bedrock, and others for Claude: calls only where tools are offered. */
export const toolsWithCalls: Rule = (body) =>
  body.tools === undefined &&
  messagesOf(body).some(({ role, tool_calls: calls }) => role === "tool" || calls !== undefined)
    ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    : null;

/** Gemini 3 by an OpenAI endpoint: the first call of each step carries its signature, or a stand-in. */
export const signedCalls: Rule = (body) => {
  for (const { tool_calls: calls } of messagesOf(body)) {
    const [first] = calls ?? [];
    if (first === undefined || typeof first.extra_content?.google?.thought_signature === "string") continue;
    return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${first.function.name}\`, position 2.`;
  }
  return null;
};

/** Kimi, in the words of its own. */
export const kimiReasoning: Rule = (body) => {
  const at = messagesOf(body).findIndex(
    (message) => message.tool_calls !== undefined && !("reasoning_content" in message),
  );
  return at < 0
    ? null
    : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
};

/** Perplexity: people and tools by turns with the assistant, and the last word is theirs. */
export const perplexityRoles: Rule = (body) => {
  const spoken = messagesOf(body).filter(({ role }) => role !== "system");
  const wrong = spoken.some(
    ({ role }, at) =>
      (at > 0 && role === spoken[at - 1]?.role && role !== "tool") ||
      (role === "user" && spoken[at - 1]?.role === "tool"),
  );
  return wrong
    ? "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s)."
    : null;
};

/** DeepSeek: each message with calls carries the reasoning that led to them. */
export const reasoningWithCalls: Rule = (body) =>
  messagesOf(body).some((message) => message.tool_calls !== undefined && !("reasoning_content" in message))
    ? "The `reasoning_content` in the thinking mode must be passed back to the API."
    : null;

export const noLoneSurrogates: Rule = (body) =>
  JSON.stringify(body).includes("\\ud83d") ? "could not decode the JSON body: lone surrogate" : null;

export const noSchemasWithoutItems: Rule = (body) =>
  /"type":"array"(?![^{}]*"items")/.test(toolTexts(body)) ? "Invalid schema: array schema missing items" : null;
