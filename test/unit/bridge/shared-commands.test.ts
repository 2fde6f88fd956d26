import { expect, it } from "vitest";
import type { EventSketch } from "../../support/inbound.ts";
import { describeOnEveryStore, type TestStore } from "../../support/test-store.ts";
import { Door } from "./door.ts";

const token = (id: string): string => `${Buffer.from(id).toString("base64url")}.Gabcde.${"x".repeat(38)}`;
const accounts = { default: { token: token("100000000000000001") }, second: { token: token("100000000000000002") } };
const config = { channels: { discord: { allowFrom: ["*"], dmPolicy: "open", groupPolicy: "open", accounts } } };
type Account = keyof typeof accounts;

/** One message of a guild's channel, as each of two bots hears it. */
class Room {
  readonly door: Door;
  #count = 0;

  constructor(test: TestStore) {
    this.door = new Door(test, config);
  }

  /** Which account carries it out or answers it, in the order in which they hear it. */
  async say(
    text: string,
    sketch: EventSketch & { to?: Account; inThread?: string } = {},
    order: readonly Account[] = ["default", "second"],
  ) {
    this.#count += 1;
    this.door.test.clock.advance(1_000);
    const { to, inThread = null, ...more } = sketch;
    const hear = (accountId: Account) =>
      this.door.offer({
        text,
        accountId,
        botId: accountId,
        messageId: `m${this.#count}`,
        link: `https://discord.com/channels/1/2/${this.#count}`,
        peer: { kind: "channel", id: "2", label: "general" },
        route: { channel: "discord", accountId, to: "2", threadId: inThread },
        thread: inThread === null ? { kind: "none" } : { kind: "thread", id: inThread, label: null },
        mentions: to === undefined ? {} : { bot: to === accountId, otherOnly: to !== accountId },
        ...more,
      });
    const results = await Promise.all(order.map(async (account) => ({ account, ...(await hear(account)) })));
    return results.filter(({ result }) => result === "command" || result === "accepted").map(({ account }) => account);
  }
}

describeOnEveryStore("a command that two of our bots hear", (open) => {
  it("CM-17: with a bot's name it is that bot's alone", async () => {
    const room = new Room(await open());
    expect(await room.say("/status", { to: "second" })).toEqual(["second"]);
    expect(await room.say("!status", { to: "default" })).toEqual(["default"]);
  });

  it("CM-17: without a name, if neither was spoken with, the bot that hears it first runs it", async () => {
    const room = new Room(await open());
    expect(await room.say("!status", {}, ["second", "default"])).toHaveLength(1);
    const other = new Room(await open());
    for (const n of [1, 2, 3]) expect(await other.say(`!status ${n}`), `command ${n}`).toHaveLength(1);
  });

  it("CM-17: without a name it is for the bot its sender spoke with last there, in whatever order they hear it", async () => {
    const room = new Room(await open());
    const bob = { sender: { id: "bob", name: "Bob" } };
    await room.say("hello", { to: "second" });
    await room.say("hello", { to: "default", ...bob });
    expect(await room.say("!status")).toEqual(["second"]);
    expect(await room.say("!status", {}, ["second", "default"])).toEqual(["second"]);
    expect(await room.say("!stop", bob, ["second", "default"])).toEqual(["default"]);
    // Somebody who has spoken with neither means the one that was spoken with last.
    expect(await room.say("!stop", { sender: { id: "cleo", name: "Cleo" } })).toEqual(["default"]);
  });

  it("CM-17: in a thread the message it hangs on counts: whom it spoke with is meant", async () => {
    const room = new Room(await open());
    await room.say("hello", { to: "default" });
    expect(await room.say("!status", { inThread: "m1" }, ["second", "default"])).toEqual(["default"]);
    expect(await room.say("!status", { inThread: "m0" }, ["second", "default"])).toHaveLength(1);
  });

  it("CM-17: any other text is no command, and is each bot's to judge", async () => {
    const room = new Room(await open());
    expect(await room.say("nobody is meant")).toEqual([]);
    expect(await room.say("!unheardof")).toEqual([]);
  });
});
