import { expect, it } from "vitest";
import type { CommandDefinition } from "../../../src/commands/command.ts";
import { COMMANDS, commandNames, workStarters } from "../../../src/commands/registry.ts";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import type { EventSketch } from "../../support/inbound.ts";
import { describeOnEveryStore, type TestStore } from "../../support/test-store.ts";
import { Door } from "./door.ts";

const open = { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" };
const config = {
  limits: { perSender: { perMinute: 2, commandsPerMinute: 3 } },
  channels: {
    telegram: { botToken: "9:test-token", ...open },
    discord: { token: `${Buffer.from("100000000000000001").toString("base64url")}.Gabcde.${"x".repeat(38)}`, ...open },
    slack: { botToken: "xoxb-test", appToken: "xapp-test", ...open },
    web: {},
  },
};
const doorOf = (test: TestStore) =>
  new Door(test, config, { commandNames: commandNames(COMMANDS), startsWork: workStarters(COMMANDS) });

type Surface = (sender: string, name: string, args: string) => EventSketch;
const at = (channel: string, to: string) => ({ channel, accountId: "default", to, threadId: null });
const typed =
  (channel: string, kind: "direct" | "group", mark: string): Surface =>
  (sender, name, args) => ({
    route: at(channel, kind === "direct" ? sender : "g"),
    peer: { kind, id: kind === "direct" ? sender : "g", label: null },
    sender: { id: sender },
    mentions: { bot: true },
    text: `${mark}${name} ${args}`,
  });
const native =
  (channel: string): Surface =>
  (sender, name, args) => ({
    ...typed(channel, "group", "/")(sender, name, args),
    kind: "command",
    text: "",
    command: { name, args, interactionId: `call of ${sender}` },
  });

/** Every way a command reaches the bridge. The chat page and its HTTP route are one: it posts what is typed. */
const SURFACES: Readonly<Record<string, Surface>> = {
  "a direct Telegram chat": typed("telegram", "direct", "/"),
  "a Telegram group": typed("telegram", "group", "/"),
  "a Discord slash command": native("discord"),
  "a Discord message": typed("discord", "group", "!"),
  "a Slack slash command": native("slack"),
  "a Slack message": typed("slack", "direct", "!"),
  "the chat page": typed("web", "direct", "/"),
};

/** What a command is given with: nothing, words it takes or that stand behind it, and what starts work. */
const wordsOf = ({ name }: CommandDefinition): readonly string[] =>
  name === "subagents" ? ["", "spawn count", "steer 1 go", "retry 1", "list"] : ["", "on your way"];

describeOnEveryStore("limits on commands", (openStore) => {
  for (const [place, sketch] of Object.entries(SURFACES)) {
    it(`FC-403: every command given in ${place} is bounded, many at once too, and none starts more work than messages may`, async () => {
      const door = doorOf(await openStore());
      const cases = COMMANDS.flatMap((command) => wordsOf(command).map((args) => ({ name: command.name, args })));
      const ran: { readonly command: string; readonly started: number; readonly work: boolean }[] = [];
      for (const [number, { name, args }] of cases.entries()) {
        const sender = `${number}00`;
        const offer = (messageId: string) =>
          door.offer({ ...sketch(sender, name, args), messageId: `${sender}${messageId}` });
        const results = await Promise.all(["1", "2", "3", "4", "5"].map(offer));
        const started = results.filter(({ result }) => result === "command").length;
        ran.push({ command: `${name} ${args}`.trim(), started, work: workStarters(COMMANDS)(name, args) });
      }
      const bound = ({ command, work }: (typeof ran)[number]) => (/^stop/.test(command) ? 5 : work ? 2 : 3);
      expect(ran.map(({ command, started }) => ({ command, started }))).toEqual(
        ran.map((one) => ({ command: one.command, started: bound(one) })),
      );
      const work = ran.filter((one) => one.work).map(({ command }) => command);
      expect(work).toEqual(
        expect.arrayContaining([
          "status on your way",
          "new on your way",
          "compact",
          "steer on your way",
          "subagents spawn count",
        ]),
      );
      const inputs = await door.inputs();
      expect(
        inputs.filter(({ payload }) => payload.kind === "command" && payload.name === "stop" && payload.args !== ""),
      ).toHaveLength(2);
    });
  }

  it("FC-403: commands that start work and messages share one limit, also after a restart, and other commands have theirs", async () => {
    const test = await openStore();
    const first = doorOf(test);
    const say = (door: Door, text: string, messageId: string) => door.offer({ text, messageId });
    expect(await say(first, "hello", "1")).toMatchObject({ result: "accepted" });
    expect(await say(first, "/status and what is new?", "2")).toMatchObject({ result: "command" });
    const again = doorOf(test);
    const refused = { result: "refused", rule: "limits.perSender.perMinute is 2" };
    for (const [at, text] of ["/compact", "/whoami please", "/steer 1 go", "hello"].entries()) {
      expect(await say(again, text, `3${at}`), text).toMatchObject(refused);
    }
    for (const id of ["40", "41", "42"]) expect(await say(again, "/help", id)).toMatchObject({ result: "command" });
    expect(await say(again, "/help", "43")).toMatchObject({ rule: "limits.perSender.commandsPerMinute is 3" });
    expect(await say(again, "/stop", "44")).toMatchObject({ result: "command" });
    const told = (await again.deliveries()).map((row) => JSON.parse(row.content_json).piece.plain);
    expect(told).toEqual([notices.tooFast]);
    test.clock.advance(61_000);
    expect(await say(again, "/compact", "50")).toMatchObject({ result: "command" });
  });

  it("FC-403, CM-5: a native call over the limit is told so in place, each time", async () => {
    const door = doorOf(await openStore());
    const call = SURFACES["a Discord slash command"];
    if (call === undefined) throw new Error("no such surface");
    for (const id of ["1", "2", "3", "4", "5"]) await door.offer({ ...call("7", "help", ""), messageId: id });
    const sent = (await door.deliveries()).map((row) => JSON.parse(row.content_json));
    const line = { piece: { plain: notices.tooManyCommands }, private: true, interaction: { id: "call of 7" } };
    expect(sent).toMatchObject([line, line]);
  });
});
