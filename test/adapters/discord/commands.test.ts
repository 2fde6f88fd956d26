import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { idAt } from "../../../adapters/discord/address.ts";
import { interactionIdOf, readInteractionId } from "../../../adapters/discord/calls/answers.ts";
import { menuOf, proposals } from "../../../adapters/discord/calls/commands.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import type { DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import { menuTexts, TOO_LATE } from "../../../src/core/texts/platforms/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { type Running, routeTo, running, send, sentIds, words } from "./host.ts";

const many = Array.from({ length: 40 }, (_, index) => `choice-${index}`);
const argument = (name: string, more: Partial<NativeCommand["arguments"][number]> = {}) => ({
  name,
  description: `the ${name}`,
  required: false,
  choices: [],
  ...more,
});
const COMMANDS: readonly NativeCommand[] = [
  { name: "status", description: "What goes on here", arguments: [] },
  {
    name: "why",
    restricted: true,
    description: "What became of it",
    arguments: [argument("link", { required: true })],
  },
  { name: "model", description: "Which model", arguments: [argument("ref", { choices: many }), argument("level")] },
  { name: "kill", description: "End one", arguments: [argument("target", { suggests: "sub-agent" })] },
];

describe("CM-2, FC-056: the menu", () => {
  it("CM-2: names, lengths, order of options and number of commands are what Discord takes", () => {
    const long = {
      name: "Say It!",
      description: "x".repeat(150),
      arguments: [argument("one"), argument("two", { required: true })],
    };
    const filler = Array.from({ length: 120 }, (_, index) => ({ name: `c${index}`, description: "", arguments: [] }));
    const menu = menuOf([long, { ...long, name: "say-it" }, { ...long, name: "!!" }, ...filler]);
    expect(menu.commands).toHaveLength(100);
    expect(menu.leftOut).toHaveLength(23);
    expect(menu.commands[0]).toMatchObject({ name: "say-it", options: [{ name: "two" }, { name: "one" }] });
    expect(menu.commands[0]).toMatchObject({ description: `${"x".repeat(99)}…` });
    expect(menu.known.get("say-it")).toMatchObject({ name: "Say It!", order: ["one", "two"] });
  });

  it("CM-2: suggests more than 25 choices while a person types, best first", () => {
    const known = menuOf(COMMANDS).known.get("model");
    expect(proposals(known, "ref", "choice-3")[0]).toBe("choice-3");
    expect(proposals(known, "ref", "")).toHaveLength(25);
    expect(proposals(known, "level", "x")).toEqual([]);
  });
});

describe("native calls", () => {
  it("CM-2, FC-056: a command larger than Discord takes is completed instead, and options too many are named", async () => {
    const wide = Array.from({ length: 25 }, (_, index) => `${index} ${"x".repeat(90)}`);
    const options = Array.from({ length: 27 }, (_, index) => argument(`o${index}`, { choices: index < 4 ? wide : [] }));
    const menu = menuOf([{ name: "wide", description: "Much to choose", arguments: options }]);
    expect(menu.commands[0]).toMatchObject({
      options: expect.arrayContaining([expect.objectContaining({ name: "o0", autocomplete: true })]),
    });
    expect(menu.leftOut).toEqual([menuTexts.options("wide", ["o25", "o26"], 25)]);
    await using it = await running(dc, dc.bot({ username: "switchy", messageContent: true }));
    await it.adapter.capabilities.nativeCommands?.register([
      { name: "wide", description: "Much to choose", arguments: options },
    ]);
    expect(dc.calls("bulk_set_application_commands")).toHaveLength(1);
  });

  let dc: DiscordEmulator;
  beforeEach(async () => {
    dc = await startDiscordEmulator();
  });
  afterEach(() => dc.stop());

  async function scene() {
    const bot = dc.bot({ username: "switchy", messageContent: true });
    const ann = dc.user({ name: "Ann" });
    const guild = dc.guild({ name: "Work", members: [ann, bot] });
    const channel = guild.text("general");
    const it = await running(dc, bot);
    await it.adapter.capabilities.nativeCommands?.register(COMMANDS);
    return { bot, ann, channel, it, says: channel.from(ann), to: routeTo(channel.id) };
  }

  async function answer(it: Running, text: string, isPrivate = false, first = true): Promise<readonly string[]> {
    const event = it.host.events.findLast((known) => known.kind === "command");
    const id = event?.command?.interactionId;
    if (event === undefined) throw new Error("no command came");
    const base = words(text) as Extract<DeliveryContent, { kind: "message" }>;
    const content = { ...base, private: isPrivate, ...(id === undefined ? {} : { interaction: { id, first } }) };
    return sentIds(await send(it.adapter, event.route, content, { key: `${text}-key` }));
  }

  const taken = (it: Running, count = 1) =>
    it.host.until(() => it.host.events.filter(({ kind }) => kind === "command").length === count, "the command");

  it("CH-6: the menu goes up as a whole, once for the same commands", async () => {
    const { bot, it } = await scene();
    await using _it = it;
    await it.adapter.capabilities.nativeCommands?.register(COMMANDS);
    expect(dc.calls("bulk_set_application_commands")).toHaveLength(1);
    expect(bot.commands()?.map(({ name }) => name)).toEqual(["status", "why", "model", "kill"]);
  });

  it("CM-3: a call is deferred first and its answer takes the place of what people wait for", async () => {
    const { it, says } = await scene();
    await using _it = it;
    const used = says.uses("/model", { options: { level: "high" } });
    expect(await used.acknowledged()).toBe(5);
    await taken(it);
    expect(it.host.events.at(-1)?.command).toMatchObject({ name: "model", args: "high" });
    await answer(it, "all fine");
    expect((await used.answer()).content).toBe("all fine");
    await answer(it, "and more", false, false);
    expect((await used.followUp()).content).toBe("and more");
  });

  it("FC-060: a store that is away does not delay the acknowledgement", async () => {
    const { it, says } = await scene();
    await using _it = it;
    const gate = Promise.withResolvers<void>();
    it.host.onAccept = () => gate.promise;
    const used = says.uses("/status");
    expect(await used.acknowledged()).toBe(5);
    expect(it.host.events).toEqual([]);
    gate.resolve();
    await taken(it);
  });

  it("CM-3: an answer for admins, and a refusal, are seen by the person only", async () => {
    const { it, says, channel } = await scene();
    await using _it = it;
    const why = says.uses("/why", { options: { link: "x" } });
    await taken(it);
    await answer(it, "secret", true);
    expect((await why.answer()).content).toBe("secret");
    says.uses("/status");
    await taken(it, 2);
    await answer(it, "you may not", true);
    await dc.until(() => (says.texts().includes("you may not") ? true : undefined));
    expect(channel.texts()).toEqual([]);
  });

  it("CM-3: what expired is answered in the channel, where a private answer is one line that shows nothing of it", async () => {
    const { it, ann, bot, channel, to } = await scene();
    await using _it = it;
    const old = {
      id: idAt(Date.now() - 16 * 60_000),
      userId: ann.id,
      applicationId: bot.id,
      ephemeral: false,
      token: "t",
    };
    const base = words("late") as Extract<DeliveryContent, { kind: "message" }>;
    const interaction = { id: interactionIdOf(old), first: true };
    sentIds(await send(it.adapter, to, { ...base, interaction }));
    expect(channel.texts()).toEqual(["late"]);
    sentIds(await send(it.adapter, to, { ...base, private: true, interaction }, { key: "k2" }));
    expect(channel.texts()).toEqual(["late", TOO_LATE]);
    const more = { ...base, private: true, interaction: { ...interaction, first: false } };
    expect(await send(it.adapter, to, more, { key: "k3" })).toMatchObject({ outcome: "failed", gone: false });
    expect(channel.texts()).toHaveLength(2);
    expect(dc.calls("create_dm")).toEqual([]);
  });

  it("FC-060: a call that Discord did not let be acknowledged is answered in the channel", async () => {
    const { it, says, channel } = await scene();
    await using _it = it;
    const code = { kind: "refusal", status: 404, code: 10062, description: "Unknown interaction" } as const;
    dc.fails(code, { method: "create_interaction_response" });
    says.uses("/status");
    await taken(it);
    expect(it.host.events.at(-1)?.command).not.toHaveProperty("interactionId");
    await answer(it, "in the channel");
    expect(channel.texts()).toEqual(["in the channel"]);
  });

  it("CM-3: a restart within the quarter of an hour still answers in place", async () => {
    const { it, says } = await scene();
    await using _it = it;
    const used = says.uses("/status");
    await taken(it);
    await it.adapter.stop();
    await it.adapter.start(it.host);
    await it.host.untilState("ready");
    await answer(it, "after the restart");
    expect((await used.answer()).content).toBe("after the restart");
  });

  it("CM-2: completes what a person types", async () => {
    const { it, says } = await scene();
    await using _it = it;
    const used = says.autocompletes("/model", "ref", { options: { ref: "choice-39" } });
    expect(await used.choices()).toEqual([{ name: "choice-39", value: "choice-39" }]);
  });

  it("CM-12: proposals of the host go up within Discord's limits, asked for as the command itself would be", async () => {
    const { it, says, ann, channel } = await scene();
    await using _it = it;
    const kinds = new Map<string, unknown>();
    it.host.suggestions = async ({ event, kind, typed }) => {
      kinds.set(kind, [event.command?.name, event.sender.id, event.route.to, typed]);
      const long = { label: "l".repeat(150), value: "v" };
      const tooLong = { label: "x", value: "x".repeat(101) };
      return [tooLong, long, ...many.map((value) => ({ label: value, value }))];
    };
    const used = says.autocompletes("/kill", "target", { options: { target: "fo" } });
    const choices = await used.choices();
    expect(choices).toHaveLength(25);
    expect(choices[0]).toEqual({ name: `${"l".repeat(99)}…`, value: "v" });
    expect(kinds.get("sub-agent")).toEqual(["kill", ann.id, channel.id, "fo"]);
    expect(it.host.events).toEqual([]);
  });

  it("CM-12: no proposals in time, or none at all, are an empty list within the 3 seconds", async () => {
    const { it, says } = await scene();
    await using _it = it;
    it.host.suggestions = () => Promise.reject(new Error("away"));
    expect(await says.autocompletes("/kill", "target", { options: { target: "" } }).choices()).toEqual([]);
    it.host.suggestions = () => new Promise(() => undefined);
    expect(await says.autocompletes("/kill", "target", { options: { target: "" } }).choices()).toEqual([]);
  });

  it("CM-3: the id of a call holds all that its answer needs, and nothing else is read as one", () => {
    const call = { id: "1", userId: "2", applicationId: "3", ephemeral: true, token: "t.o-k" };
    expect(readInteractionId(interactionIdOf(call))).toEqual(call);
    expect(readInteractionId("123456")).toBeNull();
  });
});
