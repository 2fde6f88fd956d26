import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VendorAnswer } from "../support/emulators/model/vendors/vendor-server.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import type { Body } from "./rules.ts";
import { VENDORS, type Vendor } from "./vendors.ts";

/** One strict server of each protocol. */
const SERVERS = ["OpenAI", "Anthropic", "Google", "Mistral"].map(
  (name) => VENDORS.find((vendor) => vendor.name === name) as Vendor,
);
const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

/** What each server's model says next; without one it says who it is. */
const next = new Map<string, VendorAnswer[]>();
const bodies = new Map<string, Body[]>();

const server = createServer(async (incoming, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [, at = "", rest = ""] = /^\/(\d+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
  const vendor = SERVERS[Number(at)];
  if (vendor === undefined || incoming.method !== "POST") return void response.writeHead(404).end();
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
  const fault =
    vendor.protocol.fault({ path: rest, headers: incoming.headers, body }) ??
    vendor.rules.map((rule) => rule(body)).find((words) => words !== null);
  if (fault !== null && fault !== undefined) {
    const error = { error: { message: fault, type: "invalid_request_error", code: null } };
    return void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
  }
  bodies.set(vendor.name, [...(bodies.get(vendor.name) ?? []), body]);
  const answer = next.get(vendor.name)?.shift() ?? { kind: "answer", deltas: [`I am ${vendor.name}.`] };
  response.writeHead(200, { "content-type": "text/event-stream" }).end(vendor.protocol.render(answer));
});

let bridge: TestBridge;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const providers = SERVERS.map((vendor, at) => [
    vendor.name.toLowerCase(),
    { type: vendor.type, apiKey: "key-123456", baseUrl: `http://127.0.0.1:${port}/${at}${vendor.path}` },
  ]);
  bridge = await startTestBridge({ config: { models: { providers: Object.fromEntries(providers) } } });
});
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

test.each(SERVERS.map((vendor): [string, Vendor] => [vendor.name, vendor]))(
  "FC-301, FC-302: a session that began on %s, with thinking, a tool call and a picture, goes on with every other protocol and back",
  { timeout: 60_000 },
  async (_name, first) => {
    const channel = await bridge.web.channel(`From ${first.name}`);
    const choose = async ({ name, model }: Vendor): Promise<void> => {
      await channel.says(`/model ${name.toLowerCase()}/${model}`);
      await channel.hears(new RegExp(model.replaceAll(".", "\\.")));
    };
    await choose(first);
    next.set(first.name, [
      {
        kind: "answer",
        thinking: { text: "Let me look.", signature: "c2lnbmF0dXJl" },
        deltas: ["Looking."],
        call: { id: "call0001a", name: "session_status", args: {} },
      },
      { kind: "answer", deltas: [`Looked, says ${first.name}.`] },
    ]);
    await channel.says("look at this", { files: [new File([PNG], "dot.png", { type: "image/png" })] });
    await channel.hears(`Looked, says ${first.name}.`);
    for (const other of [...SERVERS.filter((one) => one !== first), first]) {
      await choose(other);
      await channel.says("go on");
      await channel.hears(`I am ${other.name}.`);
      const sent = JSON.stringify(bodies.get(other.name)?.at(-1));
      expect(sent).toContain("look at this");
      expect(sent).toContain("session_status");
      expect(sent).toContain(`Looked, says ${first.name}.`);
    }
  },
);
