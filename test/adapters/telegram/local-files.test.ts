import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Api } from "grammy";
import { expect, onTestFinished, test } from "vitest";
import { openTransport } from "../../../adapters/telegram/gateway/transport.ts";
import { fetchFile } from "../../../adapters/telegram/outbound/files.ts";
import { fileTexts } from "../../../src/core/texts/platforms/accounts.ts";

const TOKEN = "1:x";

test("FC-221: a local Bot API server's absolute path is read from disk below its folder only", async () => {
  const base = await mkdtemp(join(tmpdir(), "local-files-"));
  const folder = await mkdtemp(join(base, "files-"));
  await writeFile(join(folder, "notes.txt"), "from disk");
  await writeFile(join(base, "secret"), "secret");
  await symlink(join(base, "secret"), join(folder, "link"));
  const server = createServer((request, response) => {
    if (request.url?.includes("/file/") === true) {
      response.writeHead(404).end();
      return;
    }
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const asked: { file_id: string } = JSON.parse(body);
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ ok: true, result: { file_id: "f", file_unique_id: "u", file_path: asked.file_id } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = openTransport(apiRoot, () => undefined);
  onTestFinished(async () => {
    transport.close();
    server.close();
    await rm(base, { recursive: true });
  });
  const api = new Api(TOKEN, { apiRoot, fetch: transport.fetch });
  const parts = { api, transport, fileRoot: `${apiRoot}/file/bot${TOKEN}`, filesFolder: folder };
  const fetched = (path: string, maxBytes = 100) =>
    fetchFile(
      parts,
      { kind: "file", name: "notes.txt", mime: "text/plain", bytes: null, ref: path },
      { maxBytes, signal: AbortSignal.timeout(5_000) },
    );
  const disk = await fetched(join(folder, "notes.txt"));
  expect(disk.ok && Buffer.from(disk.bytes).toString()).toBe("from disk");
  expect(await fetched(join(folder, "notes.txt"), 3)).toMatchObject({ ok: false });
  const refused = { ok: false, reason: "Telegram answered HTTP 404" };
  expect(await fetched(join(base, "secret"))).toEqual(refused);
  expect(await fetched(join(folder, "link"))).toEqual(refused);
  expect(await fetched(`${folder}/../secret`)).toEqual(refused);
  // A folder cannot be read as a file; the path holds the token and stays out of the reason.
  await mkdir(join(folder, TOKEN));
  expect(await fetched(join(folder, TOKEN), 1_000_000)).toEqual({ ok: false, reason: fileTexts.folderUnreadable });
});
