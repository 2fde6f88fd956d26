import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import { TestHost } from "../../support/adapter-host.ts";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { type Running, running, socketAccount } from "./host.ts";

const argument = { name: "what", description: "which one", required: false, choices: [] } as const;
const commands: readonly NativeCommand[] = [
  { name: "status", description: "What goes on here. ".repeat(8), arguments: [] },
  { name: "think", description: "How hard", arguments: [{ ...argument, required: true, choices: ["low", "high"] }] },
  { name: "kill", description: "End one", arguments: [{ ...argument, required: true, suggests: "sub-agent" }] },
  {
    name: "steer",
    description: "Tell one",
    arguments: [
      { ...argument, suggests: "sub-agent" },
      { ...argument, required: true },
    ],
  },
  ...Array.from({ length: 120 }, (_, n) => ({ name: `more${n}`, description: "More", arguments: [] })),
];

let sl: SlackEmulator;
let app: App;
let ann: Person;
let channel: Channel;
let host: TestHost;
let run: Running;

beforeEach(async () => {
  sl = await startSlackEmulator();
  app = sl.app({ name: "Switchyard" });
  ann = sl.user({ name: "ann" });
  channel = sl.channel("general", { members: [ann, app] });
  host = new TestHost();
  run = await running(socketAccount(sl, app), host);
  await run.adapter.capabilities.nativeCommands?.register(commands);
});
afterEach(async () => {
  await run.adapter.stop();
  await sl.stop();
});

const opened = () => ann.slash("/switchyard", channel).ephemeral();
const optionsIn = (blocks: unknown): string[] =>
  [...JSON.stringify(blocks).matchAll(/"value":"([^"]+)"/g)].map(([, value]) => value ?? "");

describe("the picker", () => {
  it("CM-2: it offers what can be given by choosing, within Slack's sizes, and nothing is a command yet", async () => {
    const offered = optionsIn((await opened()).blocks);
    expect(offered).toHaveLength(100);
    expect(offered.slice(0, 4)).toEqual(["status", "think", "kill", "more0"]);
    expect(host.events).toEqual([]);
  });

  it("CM-2: a command with choices asks for one of them; then it is given as if it had been written", async () => {
    const picker = await opened();
    const step = ann.presses(picker, "think", channel);
    await step.ephemeral({ matching: /^`\/think` in this channel: which one/ });
    ann.presses(picker, "high", channel);
    await host.until(() => host.events.length === 1, "the command");
    expect(host.events[0]).toMatchObject({
      kind: "command",
      command: { name: "think", args: "high" },
      sender: { id: ann.id },
      route: { to: channel.id, threadId: null },
    });
  });

  it("CM-12: long proposals are cut, and one whose value does not fit is left out", async () => {
    host.suggest = async () => [
      { label: "x".repeat(90), value: "one" },
      { label: "two", value: "y".repeat(151) },
      ...Array.from({ length: 120 }, (_, n) => ({ label: `${n}`, value: `${n}` })),
    ];
    const picker = await opened();
    await ann.presses(picker, "kill", channel).ephemeral({ matching: /^`\/kill`/ });
    const options = await ann.searches(picker, "with", "", channel);
    expect([options.length, options[0]?.text.text.length, options[1]?.value]).toEqual([100, 75, "0"]);
  });

  it("CM-3, CM-12: proposals that take too long are none, in time; choices are acknowledged while the store is away", async () => {
    host.suggest = () => new Promise(() => undefined);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    host.onAccept = () => gate;
    const picker = await opened();
    await ann.presses(picker, "kill", channel).ephemeral({ matching: /^`\/kill`/ });
    expect(await ann.searches(picker, "with", "", channel)).toEqual([]);
    const other = await opened();
    expect((await ann.presses(other, "status", channel).outcome).kind).toBe("acknowledged");
    open();
    await host.until(() => host.events.length === 1, "the command");
  });

  it("CM-2: another person's picker does nothing, and neither does a block of no picker", async () => {
    const picker = await opened();
    const press = ann.presses(picker, "status", channel);
    await host.until(() => host.events.length === 1, "the command");
    const forged = { ...press.payload, trigger_id: "forged", user: { id: "U0OTHER" } };
    app.sockets[0]?.sends({ type: "interactive", envelope_id: "e-forged", payload: forged });
    const [action] = press.payload.actions as { block_id: string }[];
    const foreign = { ...press.payload, trigger_id: "foreign", actions: [{ ...action, block_id: "b1" }] };
    app.sockets[0]?.sends({ type: "interactive", envelope_id: "e-foreign", payload: foreign });
    await sl.until(() => (app.sockets[0]?.acks.includes("e-foreign") === true ? true : undefined));
    // What was taken in is done with when it has stopped.
    await run.adapter.stop();
    expect(host.texts()).toEqual(["/status"]);
  });
});
