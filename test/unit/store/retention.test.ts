import { expect, it } from "vitest";
import { createMaintenance } from "../../../src/bridge/maintenance.ts";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { insertInput } from "../../../src/store/parts/inputs.ts";
import { continueFrom, ensureSession } from "../../../src/store/parts/sessions.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, silentLog, type TestStore } from "../../support/test-store.ts";

const DAY_MS = 24 * 3_600_000;
const keyOf = (name: string) => `agent:main:telegram:direct:${name}` as SessionKey;
const said: NewMessage = {
  role: "user",
  parts: [{ type: "text", text: "hello" }],
  provenance: { kind: "system", source: "test" },
  usage: null,
};

const talk = defineStep("talk", "normal", async (context, name: string) => {
  const key = keyOf(name);
  const session = await ensureSession(context, { key, agentId: "main", channel: "telegram", originRoute: null });
  await context.db.updateTable("sessions").set({ updated_at: context.now }).where("key", "=", key).execute();
  const seq = await insertMessages(context, { sessionId: session.sessionId, sessionKey: key, turnId: null }, [said]);
  return { sessionId: session.sessionId, seq };
});
const pin = defineStep("pin", "normal", async ({ db }, name: string) => {
  await db.updateTable("sessions").set({ pinned: 1 }).where("key", "=", keyOf(name)).execute();
});
const wait = defineStep("wait", "normal", async (context, name: string) => {
  await insertInput(context, {
    key: `waits-${name}`,
    sessionKey: keyOf(name),
    payload: { kind: "task", text: "work", from: keyOf("x") },
    provenance: { kind: "system", source: "test" },
    route: null,
    rights: { role: "user", sender: null, group: null },
    cause: null,
  });
});
const forkOf = defineStep(
  "fork-of",
  "normal",
  async (context, from: { name: string; sessionId: string; seq: number }) => {
    await ensureSession(context, { key: keyOf(from.name), agentId: "main", channel: null, originRoute: null });
    await continueFrom(context, keyOf(from.name), from);
  },
);
const left = defineRead("left", async (db, _: null) => ({
  sessions: (await db.selectFrom("sessions").select("key").orderBy("key").execute()).map(({ key }) =>
    key.split(":").at(-1),
  ),
  messages: (await db.selectFrom("messages").select("session_key").orderBy("seq").execute()).map(({ session_key }) =>
    session_key.split(":").at(-1),
  ),
}));

function maintain({ store, clock }: TestStore, retention: object) {
  const settings = testSettings({ store: { retention } });
  const run = createMaintenance({
    store,
    clock,
    log: silentLog,
    settings: () => settings,
    work: { enqueue: () => undefined },
  });
  return run("store", { released: (waiting) => waiting() }, new AbortController().signal);
}

describeOnEveryStore("store.retention", (open) => {
  it("OP-10: old sessions go with their transcripts; pinned ones, and those with something to do, stay", async () => {
    const at = await open();
    for (const name of ["old", "pinned", "waiting"]) await at.store.step(talk, name);
    await at.store.step(pin, "pinned");
    await at.store.step(wait, "waiting");
    at.clock.advance(91 * DAY_MS);
    await at.store.step(talk, "young");
    await maintain(at, { sessions: "90d" });
    const kept = ["pinned", "waiting", "young"];
    expect(await at.store.read(left, null)).toEqual({ sessions: kept, messages: kept });
  });

  it("OP-10: of a session in use the old lives go, except one that a fork reads on from", async () => {
    const at = await open();
    const reset = (name: string) =>
      at.store.step(resetSession, {
        sessionKey: keyOf(name),
        cause: `new-${name}`,
        actor: "ann",
        archiveAfterMs: null,
      });
    await at.store.step(talk, "plain");
    const life = await at.store.step(talk, "forked");
    await at.store.step(forkOf, { name: "child", ...life });
    await reset("plain");
    await reset("forked");
    at.clock.advance(91 * DAY_MS);
    for (const name of ["plain", "forked", "child"]) await at.store.step(talk, name);
    await maintain(at, { sessions: "90d" });
    expect((await at.store.read(left, null)).messages).toEqual(["forked", "plain", "forked", "child"]);
  });

  it("OP-10: without the key sessions are kept for ever", async () => {
    const at = await open();
    await at.store.step(talk, "old");
    at.clock.advance(9_999 * DAY_MS);
    await maintain(at, {});
    expect((await at.store.read(left, null)).sessions).toEqual(["old"]);
  });
});
