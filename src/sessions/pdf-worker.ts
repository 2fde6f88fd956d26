import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import type { PdfJob, PdfPages } from "./pdf.ts";

/* A thread of its own (`pdf.ts`): answers once with the text of the pages, or null when the file is damaged or locked. */

async function pagesOf({ bytes, maxPages, maxCharacters, untilMs }: PdfJob): Promise<PdfPages | null> {
  try {
    const pdf = await getDocumentProxy(bytes, { verbosity: 0 });
    const until = performance.now() + untilMs;
    const pages: string[] = [];
    let size = 0;
    for (let page = 1; page <= Math.min(pdf.numPages, maxPages); page += 1) {
      if (size > maxCharacters || performance.now() > until) break;
      const { items } = await (await pdf.getPage(page)).getTextContent();
      const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      size += words.length;
      pages.push(words.slice(0, maxCharacters));
    }
    return { pages, of: pdf.numPages };
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

parentPort?.postMessage(await pagesOf(workerData as PdfJob));
