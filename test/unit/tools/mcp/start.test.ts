import { expect, it } from "vitest";
import { connectMcp } from "../../../../src/tools/mcp/servers.ts";
import { mcpScene, oddServer } from "../../../support/mcp/mcp-scene.ts";
import { testSettings } from "../../../support/test-settings.ts";

it("FC-323: a server that answers a ping with 'method not found' is alive", async () => {
  const [server] = testSettings({ mcp: { servers: { odd: oddServer("pingless") } } }).mcp.servers;
  if (server === undefined) throw new Error("no server");
  const nothing = () => undefined;
  const signal = new AbortController().signal;
  const options = { version: "1", signal, timeoutMs: 20_000, onLine: nothing, onToolsChanged: nothing };
  const connection = await connectMcp(server, options);
  try {
    expect(await connection.alive()).toBe(true);
  } finally {
    await connection.close();
  }
});

it("FC-323: startTimeout is the time a server has to start", async () => {
  const odd = { ...oddServer("silent"), startTimeout: "1s" };
  await using scene = mcpScene({ odd });
  expect(await scene.away("odd")).not.toBe("");
});
