import { expect, it } from "vitest";
import { channels } from "../../../adapters/index.ts";
import type { Tree } from "../../../config/load/faults.ts";
import type { MergePolicy } from "../../../src/core/message/turn-inputs.ts";
import type { Rights } from "../../../src/core/session/rights.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import type { Turn } from "../../../src/core/session/turn.ts";
import { createPresentAccess } from "../../../src/routing/present-access.ts";
import { insertInput } from "../../../src/store/parts/inputs.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import type { ToMessage } from "../../../src/store/parts/transcript.ts";
import { traceEvents } from "../../../src/store/reads/trace/event.ts";
import { allowSender } from "../../../src/store/steps/people/allow-sender.ts";
import { listInPlace } from "../../../src/store/steps/people/list-in-place.ts";
import { approvePairing } from "../../../src/store/steps/people/pairing-approve.ts";
import { revokePairing } from "../../../src/store/steps/people/pairing-revoke.ts";
import { beginTurn } from "../../../src/store/steps/turns/begin-turn.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { interruptTurn } from "../../../src/store/steps/turns/interrupt-turn.ts";
import { steerIn } from "../../../src/store/steps/turns/steer-in.ts";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import { defineStep } from "../../../src/store/store.ts";
import { tellEvent } from "../../../src/trace/event-text.ts";
import type { EventSketch } from "../../support/inbound.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, group } from "./door.ts";

const toMessage: ToMessage = (item) => ({ role: "user", parts: [], provenance: item.provenance, usage: null });
const person = { channel: "telegram", accountId: "default", senderId: "111" };
const telegram = (more: Tree): Tree => ({ channels: { telegram: { botToken: "9:a", ...more } } });
const discord = (users: Tree): Tree => ({
  channels: { discord: { token: "a-test-token", guilds: { "77": { channels: { "5": users } } } } },
});
const slack = (users: readonly string[]): Tree => ({
  channels: { slack: { botToken: "xoxb-1", appToken: "xapp-1", channels: { C0GENERAL: { users: [...users] } } } },
});
const groupIs = (people: Tree): Tree => telegram({ groups: { "-100555": people } });
const inGroup = { peer: group, mentions: { bot: true } } as const;
const inDiscord: EventSketch = {
  route: { channel: "discord", accountId: "default", to: "5", threadId: null },
  peer: { kind: "channel", id: "5", label: null },
  guildId: "77",
  sender: { roleIds: ["9"] },
  mentions: { bot: true },
};
const inSlack: EventSketch = {
  route: { channel: "slack", accountId: "default", to: "C0GENERAL", threadId: null },
  peer: { kind: "channel", id: "C0GENERAL", label: null },
  sender: { id: "U0ANN" },
  mentions: { bot: true },
};
const bot = { sender: { isBot: true }, mentions: { bot: true } };

interface Case {
  readonly name: string;
  readonly config: Tree;
  readonly sketch?: EventSketch;
  /** Lets the person in, beside the configuration. */
  readonly before?: (door: Door) => Promise<unknown>;
  /** Another configuration, or what is done in the store. */
  readonly removal: Tree | ((door: Door) => Promise<unknown>);
  readonly rule: string;
}

const revoke = (door: Door) => door.test.store.step(revokePairing, person);
const here = { channel: "telegram", accountId: "default", peerId: "-100555", senderId: "111" };
const pair = async (door: Door, owner = false): Promise<void> => {
  await door.offer({ messageId: "0" });
  const [asked] = (await door.deliveries()).map(({ content_json }) => /`([2-9A-HJ-NP-Z]{8})`/.exec(content_json)?.[1]);
  await door.test.store.step(approvePairing, { ...person, code: asked ?? "", owner });
  await door.test.store.step(dropInputs, null);
};
/** What waited for the approval itself. */
const dropInputs = defineStep("drop-inputs", "normal", async ({ db }, _: null) => {
  await db.deleteFrom("inbox").execute();
  await db.deleteFrom("inbound_events").execute();
});

const CASES: readonly Case[] = [
  {
    name: "a direct chat by the configured list",
    config: telegram({ allowFrom: ["111"] }),
    removal: telegram({ allowFrom: ["222"] }),
    rule: "channels.telegram.dmPolicy is pairing and 111 is not paired",
  },
  {
    name: "a direct chat under allowlist",
    config: telegram({ dmPolicy: "allowlist", allowFrom: ["111"] }),
    removal: telegram({ dmPolicy: "allowlist", allowFrom: ["222"] }),
    rule: "channels.telegram.allowFrom does not list 111",
  },
  {
    name: "a direct chat that was open",
    config: telegram({ dmPolicy: "open", allowFrom: ["*"] }),
    removal: telegram({ dmPolicy: "disabled" }),
    rule: "channels.telegram.dmPolicy is disabled",
  },
  {
    name: "a direct chat by pairing",
    config: telegram({}),
    before: (door) => pair(door),
    removal: revoke,
    rule: "channels.telegram.dmPolicy is pairing and 111 is not paired",
  },
  {
    name: "a direct chat by the stored list",
    config: telegram({ dmPolicy: "allowlist", allowFrom: ["222"] }),
    before: (door) => door.test.store.step(allowSender, person),
    removal: revoke,
    rule: "channels.telegram.allowFrom does not list 111",
  },
  {
    name: "a group that is taken off the map",
    config: groupIs({}),
    sketch: inGroup,
    removal: telegram({ groups: { "-1": {} } }),
    rule: "channels.telegram.groups does not list -100555",
  },
  {
    name: "a group that is switched off",
    config: groupIs({}),
    sketch: inGroup,
    removal: groupIs({ enabled: false }),
    rule: "channels.telegram.groups.-100555.enabled is false",
  },
  {
    name: "a group's list of people",
    config: groupIs({ allowFrom: ["111"] }),
    sketch: inGroup,
    removal: groupIs({ allowFrom: ["222"] }),
    rule: "channels.telegram.groups.-100555.allowFrom does not list 111",
  },
  {
    name: "a group's stored list",
    config: groupIs({ allowFrom: ["222"] }),
    sketch: inGroup,
    before: (door) => door.test.store.step(listInPlace, { ...here, listed: true }),
    removal: (door) => door.test.store.step(listInPlace, { ...here, listed: false }),
    rule: "channels.telegram.groups.-100555.allowFrom does not list 111",
  },
  {
    name: "a Discord channel's users",
    config: discord({ users: ["111"] }),
    sketch: inDiscord,
    removal: discord({ users: ["222"] }),
    rule: "channels.discord.guilds.77.channels.5.users does not list 111",
  },
  {
    name: "a Discord channel's roles",
    config: discord({ roles: ["9"] }),
    sketch: inDiscord,
    removal: discord({ roles: ["8"] }),
    rule: "channels.discord.guilds.77.channels.5.roles does not list 111",
  },
  {
    name: "a Slack channel's users",
    config: slack(["U0ANN"]),
    sketch: inSlack,
    removal: slack(["U0BOB"]),
    rule: "channels.slack.channels.C0GENERAL.users does not list U0ANN",
  },
  {
    name: "a bot that was allowed",
    config: telegram({ allowFrom: ["111"], allowBots: true }),
    sketch: bot,
    removal: telegram({ allowFrom: ["111"] }),
    rule: "channels.telegram.allowBots is false",
  },
];

describeOnEveryStore("people who are removed while they wait", (open) => {
  function policyOf(door: Door): MergePolicy {
    const presentAccess = createPresentAccess({
      settings: () => door.settings,
      door: (channel) => channels.find((one) => one.channel === channel) ?? { access: "policies", places: null },
    });
    return { mode: () => "steer", signature: (rights: Rights) => rights.role, presentAccess, quietMs: 0 };
  }

  function begin(door: Door, sessionKey: string) {
    return door.test.store.step(beginTurn, {
      sessionKey: sessionKey as SessionKey,
      turnId: crypto.randomUUID(),
      policy: () => policyOf(door),
      toMessage,
      chains: door.settings.session.chains,
    });
  }

  async function prepared({ config, sketch = {}, before }: Case): Promise<{ door: Door; sessionKey: string }> {
    const door = new Door(await open(), config);
    await before?.(door);
    const accepted = await door.offer({ ...sketch, messageId: "1" });
    expect(accepted).toMatchObject({ result: "accepted" });
    return { door, sessionKey: String("sessionKey" in accepted ? accepted.sessionKey : null) };
  }

  const remove = async (door: Door, removal: Case["removal"]): Promise<void> => {
    if (typeof removal === "function") await removal(door);
    else door.settings = testSettings(removal);
  };

  it.each(CASES)("IN-18, FC-410: $name: what waits is not read, and /why says the rule", async (one) => {
    const { door, sessionKey } = await prepared(one);
    await remove(door, one.removal);
    expect(await begin(door, sessionKey)).toMatchObject({ result: "nothing" });
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["withdrawn"]);
    const [trace] = await door.test.store.read(traceEvents, {
      by: "message",
      messageId: "1",
      channel: null,
      accountId: null,
      place: null,
      limit: 5,
    });
    if (trace === undefined) throw new Error("the message is not known");
    const { title, facts } = tellEvent(trace, door.test.clock.now());
    expect(title).toContain("refused");
    expect(facts).toContainEqual(["by", `${one.rule}; this changed while the message waited`]);
    // Nobody is told: a refusal is silent.
    expect((await door.deliveries()).filter(({ content_json }) => content_json.includes("refused"))).toEqual([]);
  });

  it.each(CASES)("IN-18: $name: without the removal a turn begins", async (one) => {
    const { door, sessionKey } = await prepared(one);
    expect(await begin(door, sessionKey)).toMatchObject({ result: "begun", turn: { source: { kind: "event" } } });
  });

  it.each(CASES)("IN-18, FC-410: $name: what waits neither steers nor interrupts a running turn", async (one) => {
    const { door, sessionKey } = await prepared(one);
    const begun = await begin(door, sessionKey);
    if (begun.result !== "begun") throw new Error(begun.result);
    await door.offer({ ...one.sketch, messageId: "2" });
    await remove(door, one.removal);
    const fence = { turnId: begun.turn.id, fence: begun.turn.fence };
    const policy = (): MergePolicy => ({ ...policyOf(door), mode: () => "interrupt" });
    expect(await door.test.store.step(interruptTurn, { ...fence, policy })).toBe(false);
    const steered = await door.test.store.step(steerIn, {
      ...fence,
      sessionKey: sessionKey as SessionKey,
      policy: policyOf(door),
      toMessage,
      skipped: [],
    });
    expect(steered).toEqual([]);
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["claimed", "withdrawn"]);
  });

  it("IN-18: of several people who wait only the removed one is set aside", async () => {
    const config = groupIs({ allowFrom: ["111", "222"] });
    const { door, sessionKey } = await prepared({ name: "", config, sketch: inGroup, removal: config, rule: "" });
    await door.offer({ ...inGroup, messageId: "2", sender: { id: "222", name: "Bo" } });
    await remove(door, groupIs({ allowFrom: ["222"] }));
    expect(await begin(door, sessionKey)).toMatchObject({ result: "begun", items: [{ payload: { senderId: "222" } }] });
  });

  it("IN-18, SK-9: in a group whose id has changed the entry of the old id still counts", async () => {
    const config = groupIs({ allowFrom: ["111"] });
    const { door } = await prepared({ name: "", config, sketch: inGroup, removal: config, rule: "" });
    const move = { channel: "telegram", accountId: "default", from: "-100555", to: "-1009" };
    const [sessionKey = ""] = await door.test.store.step(migrateConversation, move);
    expect(await begin(door, sessionKey)).toMatchObject({ result: "begun" });
    await door.offer({ ...inGroup, messageId: "2" });
    await remove(door, groupIs({ allowFrom: ["222"] }));
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["claimed", "waiting"]);
  });

  const OWNERS: readonly { name: string; config: Tree; before?: Case["before"]; demotion: Case["removal"] }[] = [
    {
      name: "by the configuration",
      config: { ...telegram({ allowFrom: ["111"] }), commands: { ownerAllowFrom: ["telegram:111"] } },
      demotion: telegram({ allowFrom: ["111"] }),
    },
    {
      name: "by pairing",
      config: telegram({ allowFrom: ["111"] }),
      before: async (door) => {
        door.settings = testSettings(telegram({}));
        await pair(door, true);
        door.settings = testSettings(telegram({ allowFrom: ["111"] }));
      },
      demotion: revoke,
    },
  ];

  it.each(OWNERS)(
    "IN-18, FC-410: an owner $name who is demoted gets turns of a user, also for what waits and what others bring",
    async ({ config, before, demotion }) => {
      const one = { name: "", config, removal: demotion, rule: "", ...(before === undefined ? {} : { before }) };
      const { door, sessionKey } = await prepared(one);
      const begun = await begin(door, sessionKey);
      expect(begun).toMatchObject({ turn: { source: { rights: { role: "owner" } } } });
      if (begun.result !== "begun") throw new Error(begun.result);
      await door.offer({ messageId: "2" });
      await remove(door, demotion);
      const fence = { turnId: begun.turn.id, fence: begun.turn.fence };
      const steering = {
        ...fence,
        sessionKey: sessionKey as SessionKey,
        policy: policyOf(door),
        skipped: [],
        toMessage,
      };
      // It would run with the tools of the owner's turn.
      expect(await door.test.store.step(steerIn, steering)).toEqual([]);
      await door.test.store.step(endTurn, endOf(begun.turn));
      const next = await begin(door, sessionKey);
      expect(next).toMatchObject({ result: "begun", turn: { source: { rights: { role: "user" } } } });
      if (next.result !== "begun") throw new Error(next.result);
      await door.test.store.step(endTurn, endOf(next.turn));
      await door.test.store.step(putResult, { sessionKey, rights: begun.turn.source.rights });
      expect(await begin(door, sessionKey)).toMatchObject({ turn: { source: { rights: { role: "user" } } } });
    },
  );

  it("IN-18: the page's operator, the command line and a promoted person keep what they came with", async () => {
    const door = new Door(await open(), telegram({ allowFrom: ["111"] }));
    const { presentAccess } = policyOf(door);
    const payload = { kind: "notice", text: "x", wakes: true } as const;
    const known = { paired: true, owner: true, movedTo: null, formerPeerId: null };
    const web = { channel: "web", accountId: "default", id: "operator" };
    for (const sender of [null, web]) {
      const now = presentAccess({ payload, rights: { role: "owner", sender, group: null } }, known);
      expect(now).toMatchObject({ admitted: true, role: "owner" });
    }
    const ann = { channel: "telegram", accountId: "default", id: "111" };
    expect(presentAccess({ payload, rights: { role: "user", sender: ann, group: null } }, known)).toMatchObject({
      role: "user",
    });
  });
});

const endOf = ({ id, fence }: Turn) => ({
  ...{ turnId: id, fence, outcome: "silent" as const, error: null, message: null, deliveries: [], text: null },
  ...{ yielded: null, failure: null, archiveAfterMs: null },
});

/** The result of a sub-agent that the owner had begun. */
const putResult = defineStep(
  "put-result",
  "normal",
  async (context, { sessionKey, rights }: { readonly sessionKey: string; readonly rights: Rights }) => {
    const key = sessionKey as SessionKey;
    await ensureSession(context, { key, agentId: "main", channel: null, originRoute: null });
    await insertInput(context, {
      key: "result",
      sessionKey: key,
      payload: { kind: "completion", runIds: [], text: "done", from: key, chain: null },
      provenance: { kind: "system", source: "test" },
      route: null,
      rights,
      cause: null,
    });
  },
);
