import { expect, it } from "vitest";
import { StoreError } from "../../../src/core/errors.ts";
import { mainSessionKey } from "../../../src/core/session/session-key.ts";
import { statusCard, statusFacts } from "../../../src/sessions/status.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { sessionByKey } from "../../../src/store/reads/sessions/targets.ts";
import { ensureMain } from "../../../src/store/steps/sessions/ensure-main.ts";
import { setSessionSetting } from "../../../src/store/steps/sessions/set-session-setting.ts";
import { defineStep, type Store } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";

const key = mainSessionKey("main");
const settings = testSettings({
  models: {
    providers: {
      demo: { type: "demo" },
      local: {
        type: "openai-compatible",
        baseUrl: "http://127.0.0.1:1/v1",
        models: { big: { contextTokens: 2000, price: { input: 1, output: 10 } } },
      },
    },
  },
  agents: {
    defaults: { userTimezone: "Europe/Vienna", model: "demo/switchyard" },
    entries: { main: { default: true } },
  },
});

async function facts(store: Store) {
  const session = await store.read(sessionByKey, key);
  const agent = settings.agents.get("main");
  if (session === null || agent === undefined) throw new Error("no session");
  return statusFacts({ store, settings, session, agent, version: "1.2.3", now: Date.UTC(2026, 0, 1, 12) });
}

const storeUsage = defineStep("store-usage", "normal", async (context, sessionId: string) => {
  await insertMessages(context, { sessionId, sessionKey: key, turnId: null }, [
    {
      role: "assistant",
      parts: [{ type: "text", text: "hi" }],
      provenance: { kind: "assistant", agentId: "main", model: "local/big" },
      usage: { input: 900, output: 100, cached: 50 },
    },
  ]);
});

const countTokens = defineStep(
  "count-tokens",
  "normal",
  async ({ db }, tokens: { readonly input: number; readonly output: number }) => {
    const counters = { input_tokens: tokens.input, output_tokens: tokens.output };
    await db.updateTable("sessions").set(counters).where("key", "=", key).execute();
  },
);

describeOnEveryStore("the status card", (open) => {
  it("ST-30: a fresh session shows the default model, no tokens and its agent's time", async () => {
    const { store } = await open();
    await store.step(ensureMain, "main");
    const card = statusCard(await facts(store));
    expect(card).toContain("**Session:** `agent:main:main`");
    expect(card).toContain("**Model:** `demo/switchyard` (default)");
    expect(card).toContain("**Runtime:** switchyard 1.2.3, idle");
    expect(card).toContain("2026-01-01 13:00 Europe/Vienna");
    expect(card).toContain("steer, 0 waiting");
    expect(card).not.toContain("Cost");
  });

  it("ST-30, ST-31: settings show with their reason, sparse counters are filled from the newest usage, cost from the prices", async () => {
    const { store } = await open();
    const { sessionId } = await store.step(ensureMain, "main");
    await store.step(setSessionSetting, { key, setting: { name: "model", value: "local/big" } });
    await store.step(setSessionSetting, { key, setting: { name: "thinking", value: "high" } });
    await store.step(setSessionSetting, { key, setting: { name: "reasoning", value: true } });
    await store.step(setSessionSetting, { key, setting: { name: "displayName", value: "Ops desk" } });
    await store.step(storeUsage, sessionId);
    const seen = await facts(store);
    expect(seen.tokens).toEqual({ input: 900, output: 100, cached: 50, context: 1_000, contextWindow: 2_000 });
    const card = statusCard(seen);
    expect(card).toContain("Ops desk, `agent:main:main`");
    expect(card).toContain("`local/big` (set for this session)");
    expect(card).toContain("high (set for this session), reasoning shown");
    expect(card).toContain("1,000 of 2,000 tokens (50 %)");
    expect(card).toContain("**Cost:** 0.0019");
  });

  it("ST-31: one empty counter is filled, the others stay as they were counted", async () => {
    const { store } = await open();
    const { sessionId } = await store.step(ensureMain, "main");
    await store.step(storeUsage, sessionId);
    await store.step(countTokens, { input: 5_000, output: 400 });
    expect((await facts(store)).tokens).toMatchObject({ input: 5_000, output: 400, cached: 50, context: 1_000 });
  });

  it("ST-30: a setting taken back is the agent's again, and one for a missing session is refused", async () => {
    const { store } = await open();
    await expect(
      store.step(setSessionSetting, { key, setting: { name: "model", value: "local/big" } }),
    ).rejects.toBeInstanceOf(StoreError);
    await store.step(ensureMain, "main");
    for (const value of ["local/big", null])
      await store.step(setSessionSetting, { key, setting: { name: "model", value } });
    expect((await facts(store)).model).toEqual({ ref: "demo/switchyard", why: "default" });
  });
});
