import { expect, it } from "vitest";
import { openTestStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { bob, Desk, deskConfig, inGroup } from "./desk.ts";

const tools = {
  profile: "messaging",
  deny: ["sessions_send"],
  byProvider: { "demo/*": { deny: ["sessions_list"] } },
  toolsBySender: { "telegram:222": { deny: ["sessions_search"] } },
};
const telegram = {
  ...{ botToken: "9:test-token", allowFrom: ["111", "222"] },
  groups: { "-100555": { requireMention: true, tools: { deny: ["sessions_history"] } } },
};

it("TP-3: /tools shows what a turn of the sender here has, verbose also which layer took each of the others", async () => {
  const test = await openTestStore();
  try {
    const desk = new Desk(test, { tools, channels: { ...(deskConfig.channels as object), telegram } });
    expect(await desk.ask("/tools")).toContain(
      "4 tools here: session_status, sessions_history, sessions_search, message.",
    );
    const own = await desk.ask("/tools verbose");
    expect(own).toContain("sessions_send: tools.deny");
    expect(own).toContain("sessions_list: tools.byProvider.demo/*.deny");
    expect(own).toContain("sessions_spawn: profile messaging");
    const there = await desk.ask("/tools verbose", inGroup(bob), groupKey);
    expect(there).toMatch(/sessions_history: tools of telegram \S+\.deny/);
    expect(there).toContain("sessions_search: tools.toolsBySender.telegram:222.deny");
    expect(there).toContain("1 tool here");
  } finally {
    await test.dispose();
  }
});
