import { Worker } from "node:worker_threads";

export interface PdfPages {
  readonly pages: readonly string[];
  /** How many pages the file has. */
  readonly of: number;
}

export interface PdfJob {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  readonly maxCharacters: number;
  /** After this no further page is started. */
  readonly untilMs: number;
}

export interface PdfLimits {
  /** The whole reading. */
  readonly ms: number;
  /** By which the process may grow meanwhile. */
  readonly bytes: number;
}

const MAX_MS = 8_000;
const MAX_GROWTH = 256 * 1024 * 1024;
const LOOK_MS = 25;
const HEAP = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 } as const;

export type ReadPdf = (job: PdfJob, limits?: PdfLimits) => Promise<PdfPages | "broken" | "heavy">;

/**
 * The text of a PDF file; `broken`: it is damaged or locked; `heavy`: it takes more time or memory than a file may, because a few kilobytes of
 * one can unpack to gigabytes (FC-402). Files are read in a thread of their own, one after the other, so that none holds up anything else.
 */
export function createPdfReader(): ReadPdf {
  let last: Promise<unknown> = Promise.resolve();
  return (job, limits = { ms: MAX_MS, bytes: MAX_GROWTH }) => {
    const mine = last.then(() => inWorker(job, limits));
    last = mine.catch(() => undefined);
    return mine;
  };
}

function inWorker(job: PdfJob, limits: PdfLimits): Promise<PdfPages | "broken" | "heavy"> {
  // The thread takes a copy of the bytes.
  const worker = new Worker(new URL("./pdf-worker.ts", import.meta.url), { workerData: job, resourceLimits: HEAP });
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (result: PdfPages | "broken" | "heavy"): void => {
      clearInterval(timer);
      resolve(result);
      void worker.terminate();
    };
    const timer = setInterval(() => {
      const isHeavy = process.memoryUsage.rss() - before > limits.bytes || performance.now() - startedAt > limits.ms;
      if (isHeavy) end("heavy");
    }, LOOK_MS);
    worker.once("message", (pages: PdfPages | null) => end(pages ?? "broken"));
    // Out of the memory it may have, or a fault of the library.
    worker.once("error", () => end("heavy"));
    worker.once("exit", () => end("broken"));
  });
}
