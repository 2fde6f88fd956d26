import { pino } from "pino";
import { expect, it } from "vitest";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door } from "./door.ts";

const tokens = {
  telegram: { botToken: "9:test-token" },
  discord: { token: `${Buffer.from("100000000000000001").toString("base64url")}.Gabcde.${"x".repeat(38)}` },
  slack: { botToken: "xoxb-test", appToken: "xapp-test" },
};
const config = { commands: { ownerAllowFrom: ["discord:111", "slack:U0111", "telegram:111"] }, channels: tokens };
const call = (name: string) => ({ kind: "command", command: { name, args: "", interactionId: "call 1" } }) as const;

const owners = { discord: "111", slack: "U0111", telegram: "111" };

/** The lines at the default level. */
function recorder() {
  const lines: { level: number; rule?: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

describeOnEveryStore("requests that are refused", (open) => {
  for (const channel of ["discord", "slack"] as const) {
    const route = { channel, accountId: "default", to: "900", threadId: null };
    const place = { channel, route, peer: { kind: "group", id: "900", label: null } } as const;

    it(`FC-330, CM-5: a slash command in a ${channel} channel that is not listed gets one private line in place`, async () => {
      const { log, lines } = recorder();
      const door = new Door(await open(), config, { log });
      expect(await door.offer({ ...place, ...call("status") })).toMatchObject({ result: "refused" });
      await door.offer({ ...place, ...call("status") });
      const sent = await door.deliveries();
      expect(sent.map((row) => JSON.parse(row.content_json))).toMatchObject([
        { piece: { plain: notices.commandRefused }, private: true, interaction: { id: "call 1", first: true } },
      ]);
      expect(lines).toMatchObject([{ level: 30, decision: "refused", rule: expect.stringContaining("does not list") }]);
    });

    it(`FC-330, CM-5: a slash command in a direct ${channel} chat before pairing gets the code in place`, async () => {
      const door = new Door(await open(), config);
      const direct = { ...place, peer: { kind: "direct", id: "222", label: null }, sender: { id: "222" } } as const;
      expect(await door.offer({ ...direct, ...call("status") })).toMatchObject({ result: "refused" });
      const [sent] = await door.deliveries();
      expect(JSON.parse(sent?.content_json ?? "{}")).toMatchObject({
        piece: { plain: expect.stringContaining("This bot is private") },
        private: true,
        interaction: { id: "call 1" },
      });
    });
  }

  for (const channel of ["discord", "slack", "telegram"] as const) {
    const route = { channel, accountId: "default", to: "900", threadId: null };
    const place = { channel, route, peer: { kind: "group", id: "900", label: null } } as const;

    it(`FC-337, IN-17: an owner's mention in a closed ${channel} group is a log line with the key that refuses it`, async () => {
      const { log, lines } = recorder();
      const sender = { id: owners[channel] };
      const door = new Door(await open(), config, { log });
      await door.offer({ ...place, messageId: "1", mentions: { bot: true }, sender });
      await door.offer({ ...place, messageId: "2", mentions: { bot: true }, sender: { id: "U0222" } });
      await door.offer({ ...place, messageId: "3", sender });
      expect(lines).toMatchObject([
        { level: 30, rule: expect.stringMatching(/^channels\.\w+\..* does not list 900$/) },
      ]);
      expect(await door.deliveries()).toEqual([]);
    });
  }
});
