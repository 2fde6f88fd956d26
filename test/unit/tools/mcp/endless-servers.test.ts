import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { serverTexts } from "../../../../src/core/texts/agent/tool-calls.ts";
import { boundedFetch, type HttpBounds } from "../../../../src/tools/mcp/http-transport.ts";

const BOUNDS: HttpBounds = { responseBytes: 64 * 1024 * 1024, silentMs: 60_000, totalMs: 600_000 };
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** What a POST to a server that answers like this brings, and when its side of the connection is over. */
async function ask(write: (response: ServerResponse) => void, bounds: Partial<HttpBounds> = {}) {
  const left = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on("close", left.resolve);
    response.writeHead(200, { "content-type": "text/event-stream" });
    write(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const response = await boundedFetch({ ...BOUNDS, ...bounds })(url, { method: "POST" });
  return { text: response.text(), left: left.promise };
}

/** Writes the same for as long as the other side reads, up to far more than a bound: a missing one shows as a whole answer. */
function endlessly(response: ServerResponse, chunk: string): void {
  let sent = 0;
  const more = (): void => {
    while (!response.destroyed && sent < 40 * 1024 * 1024) {
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

it("FC-406: one message of endless data lines ends the request at 10 MiB, and the connection with it", async () => {
  const { text, left } = await ask((response) => endlessly(response, `data: ${"x".repeat(60_000)}\n`));
  await expect(text).rejects.toThrow(serverTexts.ending.tooLarge);
  await left;
});

it("FC-406: endless whole messages end the request at the bound of a response", async () => {
  const chunk = `data: ${"x".repeat(60_000)}\r\n\r\n`;
  const { text, left } = await ask((response) => endlessly(response, chunk), { responseBytes: 1_000_000 });
  await expect(text).rejects.toThrow(serverTexts.ending.tooLarge);
  await left;
});

it("FC-406: an answer that falls silent in the middle ends the request", async () => {
  const stops = (response: ServerResponse): void => {
    response.write("data: {\n");
    setTimeout(() => response.end(), 5_000).unref();
  };
  const { text, left } = await ask(stops, { silentMs: 50 });
  await expect(text).rejects.toThrow(serverTexts.ending.fellSilent);
  await left;
});

it("FC-406: many messages are more than one may be, and pass", async () => {
  const chunk = `event: message\r\ndata: ${"x".repeat(1_000_000)}\r\n\r\n`;
  const { text } = await ask((response) => {
    for (let sent = 0; sent < 12; sent += 1) response.write(chunk);
    response.end();
  });
  expect(await text).toHaveLength(12 * chunk.length);
});

it("FC-406: an answer that comes a byte at a time ends at the bound of its whole time", async () => {
  const drips = (response: ServerResponse): void => {
    const timer = setInterval(() => response.write(" "), 20).unref();
    response.on("close", () => clearInterval(timer));
  };
  const { text, left } = await ask(drips, { totalMs: 300 });
  await expect(text).rejects.toThrow(serverTexts.ending.tooSlow);
  await left;
});
