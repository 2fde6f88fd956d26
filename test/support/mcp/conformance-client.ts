import type { JsonObject } from "../../../src/core/json.ts";
import { connectWithSdk } from "../../../src/tools/mcp/sdk-client.ts";
import { testSettings } from "../test-settings.ts";

/*
 * The client that the MCP conformance suite starts, with its server's address as the last argument: Switchyard's own connection, which
 * lists the tools and calls each of them.
 */
const url = process.argv.at(-1) ?? "";
const [server] = testSettings({ mcp: { servers: { conformance: { url } } } }).mcp.servers;
if (server === undefined) throw new Error("no server is configured");

const connection = await connectWithSdk(server, {
  version: "0",
  signal: AbortSignal.timeout(20_000),
  timeoutMs: 20_000,
  onLine: (line) => process.stderr.write(`${line}\n`),
  onToolsChanged: () => undefined,
});
for (const tool of await connection.list({ signal: AbortSignal.timeout(20_000), max: 100 })) {
  const { name, inputSchema } = tool as {
    readonly name: string;
    readonly inputSchema: { readonly properties?: JsonObject };
  };
  const args = Object.fromEntries(
    Object.entries(inputSchema.properties ?? {}).map(([key, schema]) => [key, exampleOf(schema)]),
  );
  await connection.call(name, args, { signal: AbortSignal.timeout(20_000), timeoutMs: 20_000 });
}
await connection.close();

function exampleOf(schema: unknown): number | string {
  return (schema as { readonly type?: string }).type === "number" ? 3 : "x";
}
