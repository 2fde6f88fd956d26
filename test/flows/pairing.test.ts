import { afterAll, beforeAll, expect, test } from "vitest";
import { notices } from "../../src/core/texts/chat/notices.ts";
import type { Group } from "../support/emulators/telegram/groups.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
const places: { team: Group | null } = { team: null };
beforeAll(async () => {
  bridge = await startTestBridge({
    config: ({ tg, bot, ann, bob }) => {
      const team = tg.group({ title: "Team", members: [ann, bob, bot] });
      places.team = team;
      return {
        commands: { ownerAllowFrom: [] },
        channels: {
          telegram: {
            dmPolicy: "pairing",
            allowFrom: [],
            groupPolicy: "allowlist",
            groups: { [String(team.id)]: { allowFrom: [String(ann.id)] } },
          },
        },
      };
    },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("IN-5, FC-333: a stranger gets one code, is approved on the command line, greeted, and answered", async () => {
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("say exactly: before");
  const asked = await dm.botSays({ matching: /This bot is private/ });
  const code = /\b[2-9A-HJ-NP-Z]{8}\b/.exec(asked.text ?? "")?.[0] ?? "";
  dm.says("say exactly: still before");
  expect(asked.text).toContain(`pairing approve telegram ${code} --owner`);
  const again = await dm.botSays({ matching: /This bot is private/ });
  expect(again.text).toBe(asked.text);
  const wrong = await bridge.cli("pairing", "approve", "telegram", "ZZZZZZZZ");
  expect(wrong.exitCode).toBe(1);
  const list = await bridge.cli("pairing", "list");
  expect(list.out).toContain(code);
  const approved = await bridge.cli("pairing", "approve", "telegram", code);
  expect(approved.exitCode, approved.err).toBe(0);
  expect(approved.out).toMatch(/telegram:\d+ \(name: "Bob"\) can now write to telegram\/default/);
  expect(approved.out).toMatch(/There is no owner yet/);
  await dm.botSays({ matching: notices.welcome });
  await dm.botSays({ matching: /^before/ });
  await dm.botSays({ matching: /^still before/ });
  dm.says("say exactly: after");
  await dm.botSays({ matching: "after" });
});

test("IN-6: in a group, who is not on its list is not answered, not even with a code, also when paired", async () => {
  const { tg, bot, ann, bob } = bridge;
  const { team } = places;
  if (team === null) throw new Error("no group");
  team.from(bob).says("say exactly: Bob was here", { mention: bot });
  await tg.caughtUp(bot);
  team.from(ann).says("what did I say?", { mention: bot });
  await team.botSays({ matching: "You have said nothing before in this session." });
  const other = tg.group({ title: "Elsewhere", members: [ann, bot] });
  other.from(ann).says("say exactly: Ann was here", { mention: bot });
  await tg.caughtUp(bot);
  ann.dm(bot).says("hello");
  await ann.dm(bot).botSays({ matching: /This bot is private/ });
  expect(team.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
  expect(other.messages().filter((message) => message.from?.is_bot)).toHaveLength(0);
});
