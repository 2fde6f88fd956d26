import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { serverTexts } from "../../../../src/core/texts/agent/tool-calls.ts";
import { StdioTransport } from "../../../../src/tools/mcp/stdio-transport.ts";
import { watchLoop } from "../../../support/loop-watch.ts";
import { mcpScene, until } from "../../../support/mcp/mcp-scene.ts";

const script = (source: string) => ({ command: process.execPath, args: ["-e", source] });

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** The longest block, in milliseconds of processor time, while a server of this source writes until it is ended for it. */
async function longestBlock(source: string): Promise<number> {
  const server = new StdioTransport({ kind: "stdio", ...script(source), cwd: process.cwd(), env: {} }, () => undefined);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.start();
  // Starting a process takes its own time.
  using watch = watchLoop();
  await closed;
  expect(server.ending).toBe(serverTexts.ending.noise);
  return watch.longestMs();
}

describe("a server on stdio that writes without end", () => {
  it.each([
    { name: "empty lines", source: 'process.stdout.write("\\n".repeat(3_000_000))' },
    { name: "lines that begin like a message", source: 'process.stdout.write("{\\n".repeat(1_000_000))' },
    { name: "JSON that is no message", source: 'process.stdout.write("[]\\n".repeat(1_000_000))' },
  ])("FC-406: $name on its output end it, and nothing else waits", async ({ source }) => {
    // A collection of garbage may fall into one try; a block is in all of them.
    const blocks: number[] = [];
    while (blocks.length < 3 && Math.min(...blocks) >= 50) blocks.push(await longestBlock(source));
    expect(Math.min(...blocks)).toBeLessThan(50);
  });

  it("FC-406: messages between lines that are none keep it, and none of them is lost", async () => {
    const source =
      'for (let at = 0; at < 30_000; at += 1) process.stdout.write(`noise\\n{"jsonrpc":"2.0","method":"m"}\\n`)';
    const server = new StdioTransport(
      { kind: "stdio", ...script(source), cwd: process.cwd(), env: {} },
      () => undefined,
    );
    let messages = 0;
    server.onmessage = () => {
      messages += 1;
    };
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    await server.start();
    await until(() => messages === 30_000, "all messages came");
    await closed;
    expect(server.ending).toBe(serverTexts.ending.code(0));
  });

  it("FC-406: of its lines on stderr a hundred a minute are logged, and the last one still says why it ended", async () => {
    const source = 'process.stderr.write("line\\n".repeat(100_000) + "no licence\\n", () => process.exit(3))';
    await using scene = mcpScene({ loud: script(source) }, { deps: { backoffMs: () => 600_000 } });
    expect(await scene.away("loud")).toContain("no licence");
    expect(scene.logs.filter(({ text }) => text.includes("writes"))).toHaveLength(100);
  });
});

describe("a server on the network that answers one byte at a time", () => {
  async function drippingServer(): Promise<{ readonly url: string; readonly left: Promise<void> }> {
    const left = Promise.withResolvers<void>();
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as { id?: number; method?: string };
      if (id === undefined) return void response.writeHead(202).end();
      if (method === "tools/call") return drip(response, left.resolve);
      const own = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "d", version: "1" },
      };
      const tools = [{ name: "slow", description: "Slow.", inputSchema: { type: "object", properties: {} } }];
      response.writeHead(200, { "content-type": "application/json" });
      const result = method === "initialize" ? own : method === "tools/list" ? { tools } : {};
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, left: left.promise };
  }

  function drip(response: ServerResponse, onClose: () => void): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => {
      clearInterval(timer);
      onClose();
    });
  }

  it("FC-406: the call ends by its own timeout", async () => {
    const { url } = await drippingServer();
    await using scene = mcpScene({ drips: { url, timeout: 1_000 } });
    await scene.ready("drips");
    expect(await scene.call("drips__slow")).toMatchObject({
      status: "error",
      error: serverTexts.timeout("drips", 1_000),
    });
  });
});
