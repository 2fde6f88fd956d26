import { readdir, readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { delivery } from "../../contracts/adapter.ts";
import { sentencesIn } from "../../support/sentences.ts";
import { OPERATOR, type WebHarness, webHarness } from "./harness.ts";

const open: WebHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) {
    await harness.adapter.stop();
    await harness[Symbol.asyncDispose]();
  }
});

async function started(options: { readonly maxBytes?: number } = {}): Promise<WebHarness> {
  const harness = await webHarness(options);
  open.push(harness);
  await harness.adapter.start(harness.host);
  return harness;
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const page = async (harness: WebHarness): Promise<string> => (await fetch(`${harness.url}/web/c/operator`)).text();
const fileUrl = (html: string): string => html.match(/\/web\/files\/[^"]+/)?.[0] ?? "";
const limits = { maxBytes: 1_000_000, signal: AbortSignal.timeout(5000) };

test("IN-12: an upload reaches the agent with its bytes, and stands on the page", async () => {
  const harness = await started();
  await harness.post("", { files: [new File([PNG], "dot.png", { type: "image/png" })] });
  const attachment = harness.host.accepted[0]?.attachments[0];
  expect(attachment).toMatchObject({ name: "dot.png", mime: "image/png", kind: "image", bytes: PNG.byteLength });
  if (attachment === undefined) return;
  const fetched = await harness.adapter.capabilities.files?.fetch(attachment, limits);
  expect(fetched?.ok && Buffer.from(fetched.bytes).equals(PNG)).toBe(true);
  expect(await harness.adapter.capabilities.files?.fetch(attachment, { ...limits, maxBytes: 3 })).toMatchObject({
    ok: false,
  });
  const response = await fetch(harness.url + fileUrl(await page(harness)));
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("content-disposition")).toMatch(/^inline/);
});

test.each([
  ["a page", "evil.html", "text/html", "<script>alert(1)</script>"],
  ["a drawing with script", "evil.svg", "image/svg+xml", "<svg><script>alert(1)</script></svg>"],
  ["a page that calls itself an image", "evil.png", "image/png", "<script>alert(1)</script>"],
])("IN-12: %s is only ever a download that runs nothing", async (_what, name, type, body) => {
  const harness = await started();
  await harness.post("look", { files: [new File([body], name, { type })] });
  const html = await page(harness);
  expect(html).not.toMatch(/<img/);
  const response = await fetch(harness.url + fileUrl(html));
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});

test("IN-12: the agent's file is a link with its name, whatever that name holds", async () => {
  const harness = await started();
  const name = 'Bericht "für" Ä.pdf';
  const file = await harness.host.files.put(Buffer.from("%PDF"), { name, mime: "application/pdf" });
  const content = { kind: "file", file, caption: "the report", replyTo: null } as const;
  await harness.adapter.send(delivery(OPERATOR, content), AbortSignal.timeout(5000));
  const response = await fetch(harness.url + fileUrl(await page(harness)));
  expect(await response.text()).toBe("%PDF");
  expect(response.headers.get("content-disposition")).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`);
});

test("IN-12: a file over the limit is refused by name, and a body without end is not read to its end", async () => {
  const harness = await started({ maxBytes: 1000 });
  const response = await harness.post("", { files: [new File([Buffer.alloc(1001)], "big.bin")] });
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({ problem: "big.bin is too large." });
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(to) {
      sent += 65_536;
      to.enqueue(new Uint8Array(65_536));
      if (sent > 200_000_000) to.close();
    },
  });
  const url = `${harness.url}/web/c/operator/messages`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const init = { method: "POST", body: endless, duplex: "half", headers } as RequestInit;
  const status = await fetch(url, init).then(
    (answer) => answer.status,
    () => 413,
  );
  expect(status).toBe(413);
  expect(sent).toBeLessThan(100_000_000);
});

test("IN-12: a file that is not kept, and a hash that is none, are not found", async () => {
  const harness = await started();
  for (const path of [`/web/files/${"0".repeat(64)}/x`, "/web/files/..%2f..%2fetc/passwd"]) {
    expect((await fetch(harness.url + path)).status).toBe(404);
  }
});

test("FC-338: the scripts of the page hold no words; they come with the page", async () => {
  const folder = new URL("../../../adapters/web/static/", import.meta.url);
  const scripts = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts) {
    // What is logged in the browser is for whoever looks for a fault.
    const source = (await readFile(new URL(name, folder), "utf8")).replace(/console\.\w+\([^)]*\)/g, "");
    const shown = source.match(
      /(?:textContent|title|placeholder|innerText|ariaLabel) = (?:"[^"]*[a-z]{2}|`[^`$]*[a-z]{2})/gi,
    );
    expect([name, shown]).toEqual([name, null]);
    expect([name, sentencesIn(source).filter((text) => !/[.#:[>]/.test(text))]).toEqual([name, []]);
  }
});
