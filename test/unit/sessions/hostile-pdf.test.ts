import { once } from "node:events";
import { createDeflate } from "node:zlib";
import { expect, it } from "vitest";
import { attachmentTexts } from "../../../src/core/texts/agent/attachments.ts";
import { readContent } from "../../../src/sessions/file-content.ts";
import { createPdfReader } from "../../../src/sessions/pdf.ts";
import { watchLoop } from "../../support/loop-watch.ts";

/** A page whose content is this many megabytes of the same text, packed to a thousandth of it. */
async function packed(megabytes: number, text: string): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const chunks: Buffer[] = [];
  deflate.on("data", (chunk: Buffer) => chunks.push(chunk));
  const block = Buffer.alloc(1024 * 1024, text);
  for (let at = 0; at < megabytes; at += 1) if (!deflate.write(block)) await once(deflate, "drain");
  deflate.end();
  await once(deflate, "end");
  const content = Buffer.concat(chunks);
  const objects = [
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>endobj",
    `4 0 obj<</Length ${content.length}/Filter/FlateDecode>>stream`,
  ];
  const head = Buffer.from(`%PDF-1.4\n${objects.join("\n")}\n`);
  return Buffer.concat([head, content, Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R>>\n")]);
}

const JOB = { maxPages: 50, maxCharacters: 256 * 1024, untilMs: 3_000 };

it("FC-402: a small PDF file that unpacks to two gigabytes is left unread, and nothing waits for it", async () => {
  const bytes = await packed(2_000, " ");
  expect(bytes.length).toBeLessThan(2.5 * 1024 * 1024);
  const before = process.memoryUsage.rss();
  using watch = watchLoop();
  expect(await readContent(bytes, "application/pdf")).toEqual({
    kind: "unreadable",
    reason: attachmentTexts.pdfTooHeavy,
  });
  expect(watch.longestMs()).toBeLessThan(50);
  expect(process.memoryUsage.rss() - before).toBeLessThan(1024 * 1024 * 1024);
}, 60_000);

it("FC-402: one that computes without end is stopped after its time, and the next one is read", async () => {
  const read = createPdfReader();
  const endless = read({ ...JOB, bytes: await packed(40, "q ") }, { ms: 1_500, bytes: 1024 ** 3 });
  const next = read({ ...JOB, bytes: await packed(1, " ") });
  expect(await endless).toBe("heavy");
  expect(await next).toEqual({ pages: [""], of: 1 });
}, 60_000);
