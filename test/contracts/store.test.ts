import { expect, it } from "vitest";
import { mainSessionKey } from "../../src/core/session/session-key.ts";
import { ensureSession } from "../../src/store/parts/sessions.ts";
import { defineRead, defineStep } from "../../src/store/store.ts";
import { describeOnEveryStore } from "../support/test-store.ts";

const key = mainSessionKey("main");
const create = defineStep("create", "full", (context, label: string | null) =>
  ensureSession(context, { key, agentId: "main", channel: null, originRoute: null, label }),
);
const count = defineRead("count", async (db) => (await db.selectFrom("sessions").select("key").execute()).length);
const failing = defineStep("failing", "normal", async (context) => {
  await ensureSession(context, { key, agentId: "main", channel: null, originRoute: null });
  throw new Error("on purpose");
});

describeOnEveryStore("the store", (open) => {
  it("OP-10: a step that throws has changed nothing, and the steps beside it stand", async () => {
    const { store } = await open();
    await expect(store.step(failing, undefined)).rejects.toThrow("on purpose");
    expect(await store.read(count, undefined)).toBe(0);
    const [bad, good] = await Promise.allSettled([store.step(failing, undefined), store.step(create, null)]);
    expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
    expect(await store.read(count, undefined)).toBe(1);
  });

  it("OP-10: a read sees a step as soon as it resolved, and creating a session twice makes one", async () => {
    const { store } = await open();
    const first = await store.step(create, "x");
    const second = await store.step(create, "x");
    expect(second.sessionId).toBe(first.sessionId);
    expect(first.stateVersion).toBeGreaterThan(0);
    expect(await store.read(count, undefined)).toBe(1);
  });

  it("SB-4: work is told after the commit, and a time in the future is kept as a row", async () => {
    const { store, clock } = await open();
    const told: string[] = [];
    store.onWork((task, workKey, at) => told.push(`${task} ${workKey} ${at ?? "now"}`));
    const later = clock.now() + 1000;
    const step = defineStep("work", "normal", async ({ enqueue }) => {
      enqueue("turn", "a");
      enqueue("archive", "b", later);
      return told.length;
    });
    expect(await store.step(step, undefined)).toBe(0);
    expect(told).toEqual(["turn a now", `archive b ${later}`]);
    const timers = await store.read(
      defineRead("timers", (db) => db.selectFrom("timers").selectAll().execute()),
      undefined,
    );
    expect(timers).toEqual([{ task: "archive", key: "b", due_at: later }]);
  });

  it("TN-1: a hundred steps at once on one session all happen, one after the other", async () => {
    const { store, dialect } = await open();
    // PostgreSQL runs every one of them again after a conflict: a hundred would take minutes.
    const steps = dialect === "sqlite" ? 100 : 12;
    await store.step(create, null);
    const add = defineStep("add", "normal", async ({ db }) => {
      const row = await db
        .selectFrom("sessions")
        .select("input_tokens")
        .where("key", "=", key)
        .executeTakeFirstOrThrow();
      await db
        .updateTable("sessions")
        .set({ input_tokens: row.input_tokens + 1 })
        .where("key", "=", key)
        .execute();
    });
    await Promise.all(Array.from({ length: steps }, () => store.step(add, undefined)));
    const tokens = defineRead("tokens", (db) =>
      db.selectFrom("sessions").select("input_tokens").executeTakeFirstOrThrow(),
    );
    expect((await store.read(tokens, undefined)).input_tokens).toBe(steps);
  });
});
