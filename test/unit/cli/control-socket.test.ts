import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ControlApi } from "../../../src/cli/control/api.ts";
import { connectControl } from "../../../src/cli/control/client.ts";
import { type ControlServer, startControlServer } from "../../../src/cli/control/server.ts";
import { BridgeError } from "../../../src/core/errors.ts";
import { silentLog } from "../../support/test-store.ts";

const servers: ControlServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const api: Pick<ControlApi, "why" | "deliveries"> = {
  why: async ({ reference }) => {
    throw new BridgeError("some_code", `no trace of ${reference}`);
  },
  deliveries: async () => [],
};

async function serve(dataDir = mkdtempSync(join(tmpdir(), "swy-"))): Promise<{ dataDir: string; path: string }> {
  const server = await startControlServer({ dataDir, api: api as ControlApi, log: silentLog });
  servers.push(server);
  return { dataDir, path: server.path };
}

function post(path: string, url: string, body: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, path: url, method: "POST", agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, body: text }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

test("OP-5: only its user can open the socket", async () => {
  const { path } = await serve();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("OP-5: a second process on the same data folder is refused", async () => {
  const { dataDir } = await serve();
  await expect(serve(dataDir)).rejects.toThrow(`already running on ${dataDir}`);
});

test("OP-5: what a killed process left does not stop the next one", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "swy-"));
  writeFileSync(join(dataDir, "control.sock"), "");
  await serve(dataDir);
  expect(await (await connectControl(dataDir))?.deliveries({ failed: false, limit: 1 })).toEqual([]);
});

test("OP-5: no process, no client", async () => {
  expect(await connectControl(mkdtempSync(join(tmpdir(), "swy-")))).toBeNull();
});

test("OP-5: a path too long for a socket is said, not cut", async () => {
  const dataDir = join(tmpdir(), "d".repeat(100));
  await expect(serve(dataDir)).rejects.toThrow("control socket is too long");
});

test("OP-5: errors keep their code on the way", async () => {
  const { dataDir } = await serve();
  const client = await connectControl(dataDir);
  await expect(client?.why({ reference: "x" })).rejects.toMatchObject({ code: "some_code", message: "no trace of x" });
});

test("OP-5: unknown methods and wrong input are refused before anything runs", async () => {
  const { path } = await serve();
  expect(await post(path, "/constructor", "{}")).toMatchObject({ status: 404 });
  expect(await post(path, "/deliveries", '{"failed":"yes","limit":1}')).toMatchObject({
    status: 500,
    body: expect.stringContaining("bad_input"),
  });
  expect(await post(path, "/deliveries", "not json")).toMatchObject({ status: 500 });
  expect(await post(path, "/deliveries", " ".repeat(1_100_000))).toMatchObject({
    status: 500,
    body: expect.stringContaining("too large"),
  });
});
