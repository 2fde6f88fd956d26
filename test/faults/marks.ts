/** What a person's message ends in, and the agent's answer names: `m<run>x<number>`. */
export function markOf(run: string, index: number): string {
  return `m${run}x${index}`;
}

/** The marks in a text, in their order. A mark is followed by a full stop, so that none is the beginning of another. */
export function marksIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(m\w+x\d+)\./g)].map(([, mark = ""]) => mark);
}
