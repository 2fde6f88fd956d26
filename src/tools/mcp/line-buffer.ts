const NEWLINE = 0x0a;

/**
 * Lines out of a stream of bytes, in time linear in their length: the client's own buffer copies and searches all it holds at every
 * chunk, so that one message of some megabytes would stop the whole process for seconds.
 */
export class LineBuffer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that are complete now, without their ends; null: a line is longer than the limit, and nothing more can be read. */
  push(chunk: Buffer): readonly string[] | null {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(from, end)]);
      this.#parts = [];
      this.#bytes = 0;
      lines.push(line.toString("utf8"));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    this.#bytes += rest.length;
    if (this.#bytes > this.#maxBytes) return null;
    if (rest.length > 0) this.#parts.push(rest);
    return lines;
  }
}
