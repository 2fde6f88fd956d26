import { createHmac } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { eventsHandler } from "../../../adapters/slack/gateway/http-events.ts";
import { webhookHandler } from "../../../adapters/telegram/gateway/webhook.ts";
import type { BodyBounds } from "../../../src/http/guard.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { createMounts } from "../../../src/http/mounts.ts";
import { startHttpServer } from "../../../src/http/server.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { silentLog } from "../../support/test-store.ts";

const MIB = 1_048_576;
const SECRET = "slack-signing-secret";
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Route {
  readonly port: number;
  readonly taken: unknown[];
  readonly now: number;
}

/** The real receivers of Slack and Telegram behind the real server; neither takes more than it is asked to. */
async function serve(publicBodies?: BodyBounds): Promise<Route> {
  const clock = new FakeClock(Date.UTC(2027, 0, 1));
  const mounts = createMounts();
  const taken: unknown[] = [];
  const take = (body: unknown): Promise<void> => {
    taken.push(body);
    return Promise.resolve();
  };
  const parts = { clock, log: silentLog, stopped: new AbortController().signal };
  const unused = (): never => {
    throw new Error("not asked for here");
  };
  const intake = { take, takeSlash: unused, takeChoice: unused, options: unused };
  mounts.mount("/slack/events", eventsHandler({ ...parts, signingSecret: SECRET, intake: intake as never }), "public");
  const config = { url: "https://bot.example.org", secretToken: "telegram-secret", path: null };
  mounts.mount("/telegram/webhook", webhookHandler({ ...parts, config: config as never, intake }), "public");
  const server = await startHttpServer({
    settings: { host: "127.0.0.1", port: 0, token: null },
    home: null,
    mounts,
    health: async () => ({ accounts: [], store: { ok: true, error: null }, takesWork: true }),
    metrics: createMetrics(),
    clock,
    log: silentLog,
    ...(publicBodies === undefined ? {} : { publicBodies }),
  });
  stops.push(server.close);
  return { port: server.port, taken, now: clock.now() };
}

function slackHeaders(now: number, body: string | null): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const mac = createHmac("sha256", body === null ? "forged" : SECRET).update(`v0:${timestamp}:${body ?? ""}`);
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${mac.digest("hex")}` };
}

interface Flood {
  /** The status the server answered with. */
  readonly status: Promise<number>;
  /** Bytes the sender could hand to its own machine before the server closed. */
  readonly sent: () => number;
  readonly socket: Socket;
}

/** A chunked body without an end: `chunk` bytes as fast as they are taken, or none but the first when `chunk` is 0. */
function flood(port: number, path: string, headers: Record<string, string>, chunk: number, most = 300 * MIB): Flood {
  const socket = connect(port, "127.0.0.1");
  stops.push(() => socket.destroy());
  let sent = 0;
  const data = `${chunk.toString(16)}\r\n${"x".repeat(chunk)}\r\n`;
  const write = (): void => {
    while (!socket.destroyed && socket.writable && sent < most) {
      sent += chunk;
      if (!socket.write(data)) return;
    }
  };
  if (chunk > 0) socket.on("drain", write);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = new Promise<number>((resolve) => {
    let heard = "";
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      const found = /^HTTP\/1\.1 (\d{3})/.exec(heard);
      if (found !== null) resolve(Number(found[1]));
    });
    socket.on("error", () => resolve(0));
    socket.on("close", () => resolve(0));
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: bot.example.org\r\ntransfer-encoding: chunked\r\n${lines.join("")}\r\n`);
  if (chunk > 0) write();
  else socket.write("1\r\nx\r\n");
  return { status, sent: () => sent, socket };
}

/** Bytes of memory in use; the senders' own buffers are part of it, for they are in this process too. */
function inUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("FC-401: bodies of public routes", { timeout: 60_000 }, () => {
  test.each(["/slack/events", "/telegram/webhook"])(
    "%s: a body of 300 MB without a signature is refused before it is read",
    async (path) => {
      const { port, taken } = await serve();
      const one = flood(port, path, {}, 65_536);
      expect(await one.status).toBe(401);
      await new Promise((resolve) => one.socket.once("close", resolve));
      // What the server's machine keeps in its buffers of the connection; far from the whole.
      expect(one.sent()).toBeLessThan(32 * MIB);
      expect(taken).toEqual([]);
    },
  );

  test("a thousand such requests at once leave the memory flat", async () => {
    const { port } = await serve();
    const before = inUse();
    for (let round = 0; round < 10; round++) {
      const many = Array.from({ length: 100 }, () => flood(port, "/slack/events", {}, 16_384, MIB));
      const codes = await Promise.all(many.map(({ status }) => status));
      const grown = inUse() - before;
      for (const { socket } of many) socket.destroy();
      expect(codes.filter((code) => code !== 401 && code !== 0)).toEqual([]);
      expect(codes).toContain(401);
      // Read whole, the bodies would take 1,000 MiB by the last round.
      expect(grown).toBeLessThan(256 * MIB);
    }
  });

  test("a forged signature reads no more than the bound, and a stated length above it is refused at once", async () => {
    const { port, now, taken } = await serve({ bytes: 64_000, ms: 30_000, totalBytes: MIB });
    expect(await flood(port, "/slack/events", slackHeaders(now, null), 16_384).status).toBe(413);
    const stated = connect(port, "127.0.0.1");
    stops.push(() => stated.destroy());
    const heard = new Promise<string>((resolve) => stated.once("data", (bytes) => resolve(bytes.toString("latin1"))));
    const lines = Object.entries({ ...slackHeaders(now, null), "content-length": "300000000" });
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    stated.write(`POST /slack/events HTTP/1.1\r\nhost: bot.example.org\r\n${text}\r\n`);
    expect(await heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(taken).toEqual([]);
  });

  test("a body that does not come in time is given up", async () => {
    const { port, now } = await serve({ bytes: 64_000, ms: 50, totalBytes: MIB });
    expect(await flood(port, "/slack/events", slackHeaders(now, null), 0).status).toBe(408);
  });

  test("when all together are too large the largest gives way, and a signed event beside the flood is taken", async () => {
    const { port, now, taken } = await serve({ bytes: 200_000, ms: 30_000, totalBytes: 300_000 });
    const slow = (bytes: number): Flood => {
      const one = flood(port, "/slack/events", slackHeaders(now, null), 0);
      one.socket.write(`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`);
      return one;
    };
    const [, second] = [slow(140_000), slow(150_000)];
    const third = slow(100_000);
    expect(await second?.status).toBe(503);
    const body = JSON.stringify({ type: "event_callback", event_id: "E1" });
    const response = await fetch(`http://127.0.0.1:${port}/slack/events`, {
      method: "POST",
      headers: { "content-type": "application/json", ...slackHeaders(now, body) },
      body,
    });
    expect(response.status).toBe(200);
    expect(taken).toEqual([{ type: "event_callback", event_id: "E1" }]);
    third.socket.destroy();
  });
});
