import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { failureOf, runnerFor } from "./runner-kit.ts";

const MIB = 1024 * 1024;

it("FC-406: a model that streams for ever fails that call at the bound of an answer", async () => {
  let sent = 0;
  const left = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on("close", left.resolve);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = `: ${"x".repeat(60_000)}\n\n`;
    const more = (): void => {
      // Far more than the bound, so that a missing bound shows as a complete answer and not as a test without an end.
      for (; sent < 80 * MIB && !response.destroyed; ) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
      response.end('data: {"choices":[{"delta":{"content":"done"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    };
    more();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const events = await runnerFor("openai-compatible", url).step();
    expect(failureOf(events)).toMatchObject({ code: "bad_response", message: expect.stringContaining("too large") });
    await left.promise;
    expect(sent).toBeLessThan(80 * MIB);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
