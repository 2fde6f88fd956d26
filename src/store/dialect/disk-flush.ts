import { type FileHandle, open } from "node:fs/promises";

/**
 * Brings a file's written data to the disk beside the running process: whoever asks while a flush is under way shares the
 * next one. After a failure nobody can say what is on the disk (the system may drop what it could not write, and the next
 * flush succeeds without it), so every later one fails with the same error.
 */
export class DiskFlush {
  readonly #file: string;
  #handle: Promise<FileHandle> | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when all that was written before the call is on the disk. */
  flush(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) {
      this.#running = this.#flushNow();
      return this.#running;
    }
    this.#next = this.#running.then(() => {
      this.#running = this.#next;
      this.#next = null;
      return this.#flushNow();
    });
    // The callers get the failure from the promise; this keeps it from ending the process when there are none.
    this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Resolves when the flushes asked for so far have ended. Asks for none. */
  asked(): Promise<void> {
    return this.#next ?? this.#running ?? Promise.resolve();
  }

  async close(): Promise<void> {
    try {
      await this.asked();
    } finally {
      await (await this.#handle)?.close();
    }
  }

  async #flushNow(): Promise<void> {
    this.#handle ??= open(this.#file, "r+");
    const handle = await this.#handle;
    await handle.datasync();
    if (this.#next === null) this.#running = null;
  }
}
