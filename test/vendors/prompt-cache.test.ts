import { afterAll, beforeAll, expect, test } from "vitest";
import { promptTexts } from "../../src/core/texts/agent/prompt.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import type { Body } from "./rules.ts";
import { SERVERS, type StrictServers, startStrictServers } from "./strict-servers.ts";
import type { Vendor } from "./vendors.ts";

const MARK = ',"cache_control":{"type":"ephemeral"}';
const isChild = (body: Body): boolean => JSON.stringify(body).includes(promptTexts.subagent);

let servers: StrictServers;
let bridge: TestBridge;
beforeAll(async () => {
  servers = await startStrictServers((_vendor, body) => {
    // The sub-agent works for ever.
    if (isChild(body)) return null;
    const newest = JSON.stringify(messagesOf(body).at(-1));
    if (!newest.includes("send an ant")) return { kind: "answer", deltas: ["Well."] };
    return { kind: "answer", call: { id: "call0001a", name: "sessions_spawn", args: { task: "count forever" } } };
  });
  bridge = await startTestBridge({ config: { models: { providers: servers.providers } } });
});
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  servers.close();
});

function messagesOf(body: Body): readonly unknown[] {
  return (body.messages ?? body.contents ?? body.input) as readonly unknown[];
}

/** What a provider's cache compares, in its order: tools and instructions, then one text for each message. */
function texts(body: Body): readonly string[] {
  const { tools, system, systemInstruction, instructions } = body;
  return [[tools, system, systemInstruction, instructions], ...messagesOf(body)].map((part) => JSON.stringify(part));
}

test.each(SERVERS.map((vendor): [string, Vendor] => [vendor.name, vendor]))(
  "FC-315, FC-234: with %s the requests of turns in a row begin with the same bytes, also while a sub-agent works",
  { timeout: 60_000 },
  async (_name, vendor) => {
    const channel = await bridge.web.channel(`Cache at ${vendor.name}`);
    await channel.says(`/model ${vendor.name.toLowerCase()}/${vendor.model}`);
    await channel.hears(new RegExp(vendor.model.replaceAll(".", "\\.")));
    const from = servers.bodies(vendor).length;
    const asked = (): readonly Body[] =>
      servers
        .bodies(vendor)
        .slice(from)
        .filter((body) => !isChild(body));
    const turns = ["hello", "send an ant", "and now?", "and now??", "and now???"];
    for (const [at, said] of turns.entries()) {
      await channel.says(said);
      // The second turn has two steps.
      await expect.poll(() => asked().length, { timeout: 15_000 }).toBe(at === 0 ? 1 : at + 2);
      await channel.hears("Well.");
    }
    const all = asked().map(texts);
    expect(all.at(-1)?.at(-1)).toContain(promptTexts.activeRuns);
    for (const [at, after] of all.entries()) {
      const before = all[at - 1];
      if (before === undefined) continue;
      // Its newest message holds what is said of the moment.
      const kept = before.slice(0, -1).map((text) => text.replaceAll(MARK, ""));
      expect(after.map((text) => text.replaceAll(MARK, "")).slice(0, kept.length)).toEqual(kept);
      if (vendor.name !== "Anthropic") continue;
      // What was written to the cache with an earlier message is read again: a mark ends it, and nothing before it has changed.
      expect(before[0]).toContain(MARK);
      const marked = kept.findLastIndex((_text, index) => index > 0 && before[index]?.includes(MARK) === true);
      if (at > 1) expect(marked).toBeGreaterThan(0);
    }
  },
);
