import { expect, it } from "vitest";
import { askPairing } from "../../../src/store/parts/pairing-ask.ts";
import { defineStep } from "../../../src/store/store.ts";
import { seededAsk } from "../../support/store-seeds.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { Desk, inGroup } from "./desk.ts";

/** It formats, mentions, opens code, forges a row with another code beside a trusted name, and hides the rest. */
const EVIL = 'Eve **b** _i_ `c` <@1>\n- `FORGED99` "Carol" \u202egnp\u200b';
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\u001b]/u;

const seedEve = defineStep("seed-eve", "normal", async (context, code: string) => {
  const person = { channel: "telegram", accountId: "default", senderId: "222", senderName: EVIL };
  await askPairing(context, { ...seededAsk(code, context.now), ...person });
});

/** The name stands on one line of the answer, with every mark as a character and nothing hidden. */
function expectHarmless(asked: string, answer: string): void {
  const lines = answer.split("\n").filter((line) => line.includes("Eve "));
  expect(lines, asked).toHaveLength(answer.split("Eve ").length - 1);
  expect(lines, asked).not.toEqual([]);
  for (const line of lines) expect(line, asked).toContain("**b** _i_ `c` <@1>");
  expect(answer, asked).not.toMatch(/^(?:[-•] )?`?FORGED99/m);
  expect(answer, asked).not.toMatch(UNSEEN);
}

describeOnEveryStore("names that people choose", (open) => {
  it("CM-18, FC-408: in no command's answer a name formats, forges a line or hides text", async () => {
    const desk = new Desk(await open());
    const sender = { id: "111", name: EVIL };
    const ask = (text: string) => desk.ask(text, { sender });
    expectHarmless("/whoami", await ask("/whoami"));
    await desk.write("hello", { sender });
    expectHarmless("/name", await ask(`/name ${EVIL}`));
    const task = `spawn --label "${EVIL.replaceAll('"', "'")}" count`;
    expectHarmless("/subagents spawn", await ask(`/subagents ${task}`));
    const asked = [
      "/name",
      "/sessions",
      "/subagents",
      "/subagents info 1",
      "/subagents log 1",
      "/steer 1 go",
      "/kill 1",
    ];
    for (const text of asked) expectHarmless(text, await ask(text));
    await desk.test.store.step(seedEve, "ABCD2345");
    for (const text of ["/pairing list", "/pairing deny ABCD2345"]) expectHarmless(text, await ask(text));
  });

  it("CM-18, FC-410: no access list and no code is shown where others read it", async () => {
    const desk = new Desk(await open());
    await desk.test.store.step(seedEve, "ABCD2345");
    for (const text of [
      "/pairing",
      "/pairing list",
      "/pairing approve ZZZZ9999",
      "/pairing deny ZZZZ9999",
      "/allowlist list",
      "/allowlist",
    ]) {
      const told = await desk.ask(text, inGroup(), groupKey);
      expect(told, text).toMatch(/direct message/);
      expect(told, text).not.toMatch(/ABCD2345|222|Eve/);
      expect(await desk.ask(text), text).toMatch(/ABCD2345|telegram\/default/);
    }
  });
});
