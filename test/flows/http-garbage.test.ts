import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterTest, closeScenesAfterEach } from "../support/program-scene.ts";
import { startSwitchyardProcess } from "../support/switchyard-process.ts";

closeScenesAfterEach();

const TOKEN = "an-operator-token-that-nobody-guesses";
const CONFIG = {
  agents: { defaults: { model: "demo/switchyard" } },
  http: { token: TOKEN },
  media: { maxBytes: 100_000 },
};
const ALLOWED = { authorization: `Bearer ${TOKEN}` };
const MESSAGES = "/web/c/operator/messages";

type To = { readonly port: number } | { readonly path: string };

const EXPECTED: Readonly<Record<string, number>> = {
  "no token": 401,
  "no token, a form": 401,
  "a wrong token": 401,
  "half a token": 401,
  "an empty token": 401,
  "a huge token": 401,
  "the token as a cookie": 401,
  "the token in the address": 401,
  "another website": 403,
  "a sandboxed page": 403,
  "a login of 20 MB": 413,
  "a channel name of 20 MB": 413,
  "a text of 100 kB": 413,
  "a file that is too large": 413,
  "5 MB of files": 413,
  "no form": 400,
  "a form without its parts": 400,
  "a form without a boundary": 400,
  "an empty form": 400,
  "no id": 400,
  "a wild id": 400,
  nowhere: 404,
  "path up": 404,
  "file up": 404,
  "broken escape": 404,
  nul: 404,
  "a long path": 404,
  "older than nothing": 400,
  "an odd method": 404,
};

function open(to: To): Socket {
  const socket = "path" in to ? connect(to.path) : connect(to.port, "127.0.0.1");
  // A server that cuts a bad request may do so while it is still being written.
  socket.on("error", () => undefined);
  return socket;
}

/** Sends bytes as they are and reads until the other side ends; what came. */
async function raw(to: To, bytes: string): Promise<string> {
  const socket = open(to);
  socket.setTimeout(5_000, () => socket.destroy());
  let said = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    said += chunk;
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  return said;
}

function post(
  url: string,
  body: FormData | string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, { method: "POST", body, headers: { ...ALLOWED, ...headers }, redirect: "manual" });
}

function messageForm(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

test("OP-6, CH-4: the page's port and the control socket take no harm from garbage, and a stop still ends in time", {
  timeout: 120_000,
}, async () => {
  const program = await startSwitchyardProcess({ config: CONFIG });
  afterTest(async () => {
    await program.kill();
    await program.remove();
  });
  const { url } = program;
  const port = Number(new URL(url).port);
  const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, "utf8"))?.[1]);
  const before = memory();
  const alive = async (): Promise<void> => expect((await fetch(`${url}/healthz`)).status).toBe(200);

  const statuses: Record<string, number> = {};
  const check = async (what: string, answer: Promise<Response>): Promise<void> => {
    const response = await answer;
    statuses[what] = response.status;
    const body = await response.text();
    expect(body, what).not.toMatch(/ at .*\.ts|node_modules|switchyard\.db/);
    expect(body + JSON.stringify([...response.headers]), what).not.toContain(TOKEN);
  };

  // Who may: nobody without the token, whatever else is said.
  await check("no token", fetch(`${url}/web/c/operator`));
  await check(
    "no token, a form",
    fetch(url + MESSAGES, { method: "POST", body: messageForm({ id: randomUUID(), text: "x" }) }),
  );
  await check("a wrong token", fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}x` } }));
  await check("half a token", fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN.slice(0, 8)}` } }));
  await check("an empty token", fetch(`${url}/metrics`, { headers: { authorization: "Bearer " } }));
  await check("a huge token", fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${"x".repeat(12_000)}` } }));
  await check("the token as a cookie", fetch(`${url}/metrics`, { headers: { cookie: `switchyard=${TOKEN}` } }));
  await check("the token in the address", fetch(`${url}/metrics?token=${TOKEN}`));
  await check(
    "another website",
    post(url + MESSAGES, messageForm({ id: randomUUID(), text: "x" }), { origin: "https://evil.example" }),
  );
  await check(
    "a sandboxed page",
    post(url + MESSAGES, messageForm({ id: randomUUID(), text: "x" }), { origin: "null" }),
  );

  // What: bodies that are too large, broken or empty.
  await check(
    "a login of 20 MB",
    post(`${url}/login`, `token=${"x".repeat(20_000_000)}`, { "content-type": "application/x-www-form-urlencoded" }),
  );
  await check(
    "a channel name of 20 MB",
    post(`${url}/web/channels`, `title=${"x".repeat(20_000_000)}`, {
      "content-type": "application/x-www-form-urlencoded",
    }),
  );
  await check("a text of 100 kB", post(url + MESSAGES, messageForm({ id: randomUUID(), text: "x".repeat(100_000) })));
  await check(
    "a file that is too large",
    post(
      url + MESSAGES,
      messageForm({ id: randomUUID(), text: "x", file: new File([new Uint8Array(200_000)], "a.bin") }),
    ),
  );
  await check(
    "5 MB of files",
    post(
      url + MESSAGES,
      messageForm({ id: randomUUID(), text: "x", file: new File([new Uint8Array(5_000_000)], "a.bin") }),
    ),
  );
  await check("no form", post(url + MESSAGES, "hello", { "content-type": "text/plain" }));
  await check(
    "a form without its parts",
    post(url + MESSAGES, "--zzz\r\nbroken", { "content-type": "multipart/form-data; boundary=zzz" }),
  );
  await check("a form without a boundary", post(url + MESSAGES, "x", { "content-type": "multipart/form-data" }));
  await check("an empty form", post(url + MESSAGES, null));
  await check("no id", post(url + MESSAGES, messageForm({ text: "x" })));
  await check("a wild id", post(url + MESSAGES, messageForm({ id: "../../etc", text: "x" })));
  await check("nowhere", post(`${url}/web/c/nowhere/messages`, messageForm({ id: randomUUID(), text: "x" })));

  // Where: paths that try to leave.
  await check("path up", fetch(`${url}/web/assets/v/..%2f..%2f..%2fpackage.json`, { headers: ALLOWED }));
  await check("file up", fetch(`${url}/web/files/..%2f..%2fswitchyard.db/x`, { headers: ALLOWED }));
  await check("broken escape", fetch(`${url}/web/c/%E0%A4%A`, { headers: ALLOWED }));
  await check("nul", fetch(`${url}/web/c/a%00b`, { headers: ALLOWED }));
  await check("a long path", fetch(`${url}/${"a".repeat(10_000)}`, { headers: ALLOWED }));
  await check("older than nothing", fetch(`${url}/web/c/operator/older?before=zzz`, { headers: ALLOWED }));
  await check("an odd method", fetch(`${url}/web/c/operator`, { method: "PROPFIND", headers: ALLOWED }));
  expect(statuses).toEqual(EXPECTED);
  // Forty megabytes were offered; hardly any of it may have been kept, however busy the collector is.
  expect(memory() - before).toBeLessThan(80_000);

  for (const bytes of [
    "\u0000\u0001\u0002garbage\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    "GET http://evil.example/metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "GET //metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "GET /web/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    `GET / HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(100_000)}\r\n\r\n`,
    "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ]) {
    const said = await raw({ port }, bytes);
    expect(said).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(said).not.toMatch(/ at .*\.ts|node_modules|root:/);
  }
  await alive();

  // Many readers at once, and readers that never read.
  const readers = Array.from({ length: 1_000 }, () => {
    const socket = open({ port });
    socket.write(`GET /web/c/operator/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    return socket;
  });
  await Promise.all(readers.map((socket) => once(socket, "data")));
  for (const socket of readers) socket.pause();
  expect((await post(url + MESSAGES, messageForm({ id: randomUUID(), text: "hello" }))).status).toBe(201);
  await program.logged((line) => line.msg === "turn ended");
  await alive();
  for (const socket of readers.slice(100)) socket.destroy();

  // The control socket.
  const control = { path: join(program.folder, "data/control.sock") };
  for (const bytes of [
    "\u0000garbage\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /constructor HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
  ]) {
    const said = await raw(control, bytes);
    expect(said).toMatch(/^HTTP\/1\.1 40[04] /);
  }
  const half = ["POST /sta", "POST /status HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"].map((bytes) => {
    const socket = open(control);
    socket.write(bytes);
    return socket;
  });
  const slow = open({ port });
  slow.write("POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ntok");
  await alive();
  const stopping = Date.now();
  expect(await program.stop()).toBe(0);
  expect(Date.now() - stopping).toBeLessThan(10_000);
  for (const socket of [...half, slow, ...readers]) socket.destroy();
  expect(program.logs.filter((line) => line.level === "error")).toEqual([]);
  expect(JSON.stringify(program.logs)).not.toContain(TOKEN);
});
