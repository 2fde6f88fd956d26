import { afterAll, beforeAll, expect, test } from "vitest";
import type { VendorAnswer } from "../support/emulators/model/vendors/vendor-server.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import { SERVERS, type StrictServers, startStrictServers } from "./strict-servers.ts";
import type { Vendor } from "./vendors.ts";

const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

/** What each server's model says next; without one it says who it is. */
const next = new Map<string, VendorAnswer[]>();

let servers: StrictServers;
let bridge: TestBridge;
beforeAll(async () => {
  servers = await startStrictServers(
    ({ name }) => next.get(name)?.shift() ?? { kind: "answer", deltas: [`I am ${name}.`] },
  );
  bridge = await startTestBridge({ config: { models: { providers: servers.providers } } });
});
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  servers.close();
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
      const sent = JSON.stringify(servers.bodies(other).at(-1));
      expect(sent).toContain("look at this");
      expect(sent).toContain("session_status");
      expect(sent).toContain(`Looked, says ${first.name}.`);
    }
  },
);
