import fc from "fast-check";
import { expect, it } from "vitest";
import { asSessionKey } from "../../src/core/session/session-key.ts";
import { chainNotice } from "../../src/core/texts/chat/completion-text.ts";
import { openWork } from "../../src/store/reads/upkeep/open-work.ts";
import { deliveryFromRow, runFromRow } from "../../src/store/rows.ts";
import { appendMessage } from "../../src/store/steps/turns/append-message.ts";
import { defineRead } from "../../src/store/store.ts";
import { testSettings } from "../support/test-settings.ts";
import { openTestStore } from "../support/test-store.ts";
import { type Caller, ROUTE, ToolScene, USER } from "../unit/tools/tool-scene.ts";

const PLACES = [1, 2, 3].map((n) => `agent:main:discord:channel:${n}`);

const deliveries = defineRead("test-deliveries", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().execute()).map(deliveryFromRow),
);
const runs = defineRead("test-runs", async (db, _: null) =>
  (await db.selectFrom("runs").selectAll().execute()).map(runFromRow),
);

type Act = "spawn" | "send" | "watch" | "goal";

async function act(what: Act, turn: Caller, at: number): Promise<void> {
  const other = PLACES.filter((place) => place !== turn.session.key)[at % 2] ?? "";
  switch (what) {
    case "spawn":
      await turn.call("sessions_spawn", { task: `work ${at}` });
      return;
    case "send":
      await turn.call("sessions_send", { sessionKey: other, message: `hello ${at}`, timeoutSeconds: 0 });
      return;
    case "watch":
      await turn.call("sessions_send", { sessionKey: other, message: "watch", timeoutSeconds: 0, watch: true });
      return;
    case "goal":
      await turn.call("set_goal", { objective: `goal ${at}` });
  }
}

/** Every turn does `acts` and calls its model once; returns how many turns began that no person asked for, in all. */
async function play(scene: ToolScene, acts: readonly Act[]): Promise<number> {
  const root = await scene.turn(PLACES[0] ?? "", { rights: USER, route: ROUTE });
  for (const [at, what] of acts.entries()) await act(what, root, at);
  await root.end("reply", "begun");
  for (let turns = 0; ; ) {
    const due = (await scene.store.read(openWork, null)).filter(({ task }) => task === "turn" || task === "child-turn");
    const [next] = due;
    if (next === undefined) return turns;
    const turn = await scene.nextIfAny(next.key);
    if (turn === null) continue;
    turns += 1;
    if (turns > 200) return turns;
    await scene.store.step(appendMessage, {
      turnId: turn.turn.id,
      fence: turn.turn.fence,
      message: {
        role: "assistant",
        parts: [],
        provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
        usage: { input: 90, output: 10, cached: 0 },
      },
    });
    for (const [at, what] of acts.entries()) await act(what, turn, turns + at);
    await turn.end("reply", `answer ${turns}`);
  }
}

it("ST-28, FC-407, FC-237: whatever agents set off, one message's chain ends within its budget and one line says so", async () => {
  const acts = fc.array(fc.constantFrom<Act>("spawn", "send", "watch", "goal"), { minLength: 1, maxLength: 3 });
  const chains = fc.record({
    maxTurns: fc.integer({ min: 1, max: 12 }),
    maxModelCalls: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(acts, chains, async (what, limits) => {
      const test = await openTestStore();
      try {
        const settings = testSettings({
          tools: { sessions: { visibility: "all" } },
          agents: { defaults: { subagents: { maxSpawnDepth: 5, maxChildrenPerAgent: 20 } } },
          session: { agentToAgent: { maxPingPongTurns: 20 }, chains: limits },
        });
        const scene = new ToolScene(test, settings);
        for (const place of PLACES) await scene.session(place, { route: { ...ROUTE, to: place } });
        const turns = await play(scene, what);
        expect(turns).toBeLessThanOrEqual(Math.min(limits.maxTurns, limits.maxModelCalls));
        const said = (await scene.store.read(deliveries, null)).filter(({ key }) => key.startsWith("chain:"));
        const lines = said.map(({ content }) => (content.kind === "message" ? content.piece.plain : ""));
        const possible = (["session.chains.maxTurns", "session.chains.maxModelCalls"] as const).map(
          (by) => chainNotice(by, settings.session.chains).plain,
        );
        expect(said.length).toBeLessThanOrEqual(1);
        for (const line of lines) expect(possible).toContain(line);
        for (const { route } of said) expect(route).toEqual(ROUTE);
        // Nobody waits for ever for what was stopped.
        const open = (await scene.store.read(runs, null)).filter(
          ({ state, kind }) => state !== "ended" && kind === "spawn",
        );
        expect(open.map(({ sessionKey }) => asSessionKey(sessionKey))).toEqual([]);
      } finally {
        await test.dispose();
      }
    }),
    { numRuns: 15, seed: 407 },
  );
});
