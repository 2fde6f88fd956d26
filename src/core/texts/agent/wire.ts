/** What a request says to a model where the stored conversation has nothing that its server takes. */
export const emptyMessage = "(empty message)";
export const earlierLeftOut = "[System: earlier messages are not shown]";
export const continueRequest = "[System: go on]";
/** Between tool results and a new message, for servers that want an assistant message there. */
export const understood = "Understood.";

export function pictureNotSent(mime: string, bytes: number): string {
  return `[Picture, ${mime}, ${bytes} bytes: this model cannot see it]`;
}

export function strayResult(tool: string, result: string): string {
  return `[System: an earlier result of ${tool}: ${result}]`;
}
