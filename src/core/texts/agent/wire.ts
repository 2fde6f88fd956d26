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
