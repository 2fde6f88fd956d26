import { expect, it } from "vitest";
import { OPERATOR_RIGHTS, type Rights } from "../../../src/core/session/rights.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { deliveryFromRow } from "../../../src/store/rows.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { decideTools } from "../../../src/tools/policy.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ToolScene, USER } from "./tool-scene.ts";

const OWN = "agent:main:telegram:direct:111";
const HOME = { channel: "telegram", accountId: "default", to: "111", threadId: null };
const settings = testSettings({
  tools: { profile: "full" },
  channels: { telegram: { botToken: "9:very-secret-token", groups: { "-100555": {} } } },
});

const outbox = defineRead("outbox", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().orderBy("id").execute()).map(deliveryFromRow),
);
const wroteHere = defineStep("wrote-here", "normal", async ({ db, now }, conversation: string) => {
  const row = {
    identity: conversation,
    channel: "telegram",
    account_id: "default",
    conversation,
    message_id: "1",
    sender_id: "1",
    from_bot: 0,
  };
  const none = { session_key: null, inbox_seq: null, album: null, link: null };
  await db
    .insertInto("inbound_events")
    .values({ ...row, ...none, result: "accepted", rule: "test", facts_json: "{}", received_at: now })
    .execute();
});
const givenFile = defineStep("given-file", "normal", async (context, sessionId: string) => {
  const attachment = { name: "plan.pdf", mime: "application/pdf", bytes: 9, sha256: "a1" };
  await insertMessages(context, { sessionId, sessionKey: key(OWN), turnId: null }, [
    {
      role: "user",
      parts: [{ type: "attachment", attachment }],
      provenance: { kind: "system", source: "test" },
      usage: null,
    },
  ]);
});

describeOnEveryStore("message", (open) => {
  async function prepare(rights = OPERATOR_RIGHTS) {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN, { route: HOME });
    const caller = await scene.turn(OWN, { route: HOME, rights });
    const sent = async () => (await scene.store.read(outbox, null)).filter((row) => row.key.startsWith("message:"));
    return { scene, caller, sent, send: async (args: object) => (await caller.call("message", { ...args })).result };
  }

  it("ST-40: sends text and a file of the session to a place the configuration lists, and masks secrets", async () => {
    const { scene, caller, send, sent } = await prepare();
    await scene.store.step(givenFile, caller.session.sessionId);
    expect(await send({ to: "-100555", text: "The token is 9:very-secret-token.", files: ["plan.pdf"] })).toEqual({
      status: "queued",
      route: { ...HOME, to: "-100555" },
      messages: 2,
    });
    const [text, file] = await sent();
    expect(text?.route).toEqual({ ...HOME, to: "-100555" });
    expect(JSON.stringify(text?.content)).toContain("The token is [redacted");
    expect(file?.content).toMatchObject({ kind: "file", file: { name: "plan.pdf", sha256: "a1" } });
  });

  it("ST-40: writes where people wrote lately, and nowhere else; the refusal reveals nothing", async () => {
    const { scene, send, sent } = await prepare();
    const refused = await send({ to: "777", text: "hello" });
    expect(refused).toMatchObject({
      status: "error",
      error: expect.stringContaining('no conversation "777" on telegram'),
    });
    expect(await send({ to: "777", text: "hello", channel: "slack" })).toMatchObject({ status: "error" });
    await scene.store.step(wroteHere, "telegram/default/777/");
    expect(await send({ to: "777", text: "hello" })).toMatchObject({ status: "queued", messages: 1 });
    expect(await sent()).toHaveLength(1);
  });

  it("ST-40: the same call again sends nothing twice; a file the session has not, or no content, is an error", async () => {
    const { caller, send, sent } = await prepare();
    await caller.call("message", { to: "-100555", text: "once" }, { id: "again" });
    await caller.call("message", { to: "-100555", text: "once" }, { id: "again" });
    expect(await sent()).toHaveLength(1);
    expect(await send({ to: "-100555", files: ["x.png"] })).toMatchObject({
      error: 'this session has no file "x.png"',
    });
    expect(await send({ to: "-100555" })).toMatchObject({ status: "error" });
    expect(await send({ to: "-100555", text: "NO_REPLY" })).toMatchObject({ status: "error" });
  });

  it("ST-40: only an owner's turn has it, and no sub-agent", () => {
    const agent = settings.agents.get("main");
    if (agent === undefined) throw new Error("no agent");
    const offered = (rights: Rights, depth: number) =>
      decideTools(TOOLS, { settings, agent, session: { depth }, rights, model: agent.model }).tools.some(
        ({ name }) => name === "message",
      );
    expect([offered(OPERATOR_RIGHTS, 0), offered(USER, 0), offered(OPERATOR_RIGHTS, 1)]).toEqual([true, false, false]);
  });
});
