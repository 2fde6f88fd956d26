import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { assistant, key, ToolScene, user } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const settings = testSettings({ tools: { sessions: { visibility: "agent" } } });
const keyOf = (at: number) => `agent:main:discord:channel:9${at}`;

/** What any turn does to its session's place in listings. */
const use = defineStep("test-use", "normal", async ({ db, now }, sessionKey: SessionKey) => {
  await db.updateTable("sessions").set({ updated_at: now }).where("key", "=", sessionKey).execute();
});

describeOnEveryStore("paging while rows are written", (open) => {
  it("ST-4: a walk over sessions shows what nobody uses meanwhile once, and nothing twice", async () => {
    const test = await open();
    const scene = new ToolScene(test, settings);
    await scene.session(OWN);
    for (let at = 0; at < 24; at += 1) {
      // Four of each millisecond.
      if (at % 4 === 0) test.clock.advance(1_000);
      await scene.session(keyOf(at));
    }
    const caller = await scene.turn(OWN);
    const plan = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 7 }), used: fc.option(fc.nat(23)), made: fc.boolean() }),
      { minLength: 1, maxLength: 6 },
    );
    let born = 0;
    await fc.assert(
      fc.asyncProperty(plan, async (pages) => {
        const existing = (await caller.call("sessions_list", { limit: 200 })).result.sessions as { key: string }[];
        const seen: string[] = [];
        const used = new Set<string>();
        let offset: number | string | undefined = 0;
        for (let at = 0; offset !== undefined; at += 1) {
          const page = pages[at % pages.length];
          const { result } = await caller.call("sessions_list", { limit: page?.limit ?? 1, offset });
          seen.push(...(result.sessions as { key: string }[]).map((row) => row.key));
          expect(result.hasMore).toBe(result.nextOffset !== undefined);
          offset = result.nextOffset as number | string | undefined;
          test.clock.advance(1_000);
          if (typeof page?.used === "number" && used.size < 4) {
            const text = keyOf(page.used);
            used.add(text);
            await scene.store.step(use, key(text));
          }
          if (page?.made && born < 10) {
            born += 1;
            test.clock.advance(1_000);
            await scene.session(keyOf(100 + born));
          }
        }
        expect(new Set(seen).size).toBe(seen.length);
        const missed = existing.map((row) => row.key).filter((one) => !seen.includes(one) && !used.has(one));
        expect(missed).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it("ST-1: a small offset passes over that many sessions", async () => {
    const test = await open();
    const scene = new ToolScene(test, settings);
    for (const text of [OWN, keyOf(1), keyOf(2)]) {
      await scene.session(text);
      test.clock.advance(1_000);
    }
    const { result } = await (await scene.turn(OWN)).call("sessions_list", { offset: 1, limit: 1 });
    expect(result).toMatchObject({ sessions: [{ key: keyOf(1) }], hasMore: true });
  });

  it("ST-5, ST-8: a walk back through a growing transcript shows every message once, whatever the caps cut", async () => {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN);
    const caller = await scene.turn(OWN);
    let made = 0;
    const sizes = fc.array(fc.constantFrom(3, 300, 4_500, 20_000), { minLength: 1, maxLength: 40 });
    const limits = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (lengths, counts) => {
        made += 1;
        const target = keyOf(made);
        await scene.session(target);
        // Every third shows nothing: a walk must not stop there.
        await scene.write(
          target,
          lengths.map((length, at) =>
            at % 3 === 2 ? assistant("<think>x</think>") : user(`${at}:${"é".repeat(length)}`),
          ),
        );
        const seen: number[] = [];
        let offset: number | undefined = 0;
        for (let at = 0; offset !== undefined; at += 1) {
          const args: JsonObject = { sessionKey: target, offset, limit: counts[at % counts.length] ?? 1 };
          const { result } = await caller.call("sessions_history", args);
          expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(80 * 1024);
          seen.unshift(...(result.messages as { text: string }[]).map((view) => Number.parseInt(view.text, 10)));
          offset = result.nextOffset as number | undefined;
          await scene.write(target, [user("newer")]);
        }
        expect(seen).toEqual(lengths.map((_, at) => at).filter((at) => at % 3 !== 2));
      }),
      { numRuns: 8 },
    );
  });
});
