import { expect, it } from "vitest";
import { createAgentRunner } from "../../../src/agent/providers/create-agent-runner.ts";
import type { TurnDeps } from "../../../src/agent/turn/ports.ts";
import { createTurnRunner } from "../../../src/agent/turn/runner.ts";
import { INPUT_PARKED } from "../../../src/core/texts/chat/completion-text.ts";
import { TURN_FAILURES } from "../../../src/core/texts/chat/failures.ts";
import { createLocalTime, systemTimers } from "../../../src/core/time.ts";
import { createCompose, createThreads } from "../../../src/delivery/way-out.ts";
import { createLiveTurns } from "../../../src/sessions/live-turns.ts";
import { createReplySignal } from "../../../src/sessions/reply-signal.ts";
import type { Store } from "../../../src/store/store.ts";
import { createEffectiveTools } from "../../../src/tools/policy.ts";
import { describeOnEveryStore, silentLog, type TestStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig } from "../bridge/door.ts";

type Breaks = (deps: TurnDeps, fault: () => void) => Partial<TurnDeps>;

/** Where a turn may meet a fault of our own: while it works, while it ends, and while its failure is worded. */
const PLACES: Readonly<Record<string, Breaks>> = {
  "what the agent may use": (deps, fault) => ({
    effectiveTools: (...asked) => {
      fault();
      return deps.effectiveTools(...asked);
    },
  }),
  "the preview": (deps, fault) => ({
    openOutput: (frame) => {
      fault();
      return deps.openOutput(frame);
    },
  }),
  "the model's client": (deps, fault) => ({
    runner: () => {
      fault();
      return deps.runner();
    },
  }),
  "the answer's way out": (deps, fault) => ({
    accounts: {
      ...deps.accounts,
      find: (...asked) => {
        fault();
        return deps.accounts.find(...asked);
      },
    },
  }),
  "every look at the clock (an environment without a time zone)": (deps, fault) => ({
    localTime: {
      minute: (...asked) => {
        fault();
        return deps.localTime.minute(...asked);
      },
      day: (...asked) => {
        fault();
        return deps.localTime.day(...asked);
      },
      lastHour: (...asked) => {
        fault();
        return deps.localTime.lastHour(...asked);
      },
    },
  }),
  "the step that ends it": (deps, fault) => ({
    store: failing(deps.store, "end-turn", fault),
  }),
};

function failing(store: Store, name: string, fault: () => void): Store {
  return {
    read: (read, input) => store.read(read, input),
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
    step: async (step, input) => {
      if (step.name === name) fault();
      return await store.step(step, input);
    },
  };
}

describeOnEveryStore("TN-20, FC-320: a fault of our own in the middle of a turn", (open) => {
  async function prepare(test: TestStore, breaks: Breaks) {
    const door = new Door(test, { ...doorConfig, limits: { perSender: { perMinute: 100 } } });
    const state = { left: 0, met: 0 };
    const fault = (): void => {
      if (state.left === 0) return;
      state.left -= 1;
      state.met += 1;
      throw new RangeError("Invalid time zone specified: ");
    };
    const storeFile = () => Promise.reject(new Error("no files here"));
    const localTime = createLocalTime();
    const threads = createThreads({ find: () => null }, systemTimers);
    const sound: TurnDeps = {
      store: test.store,
      clock: test.clock,
      ids: { uuid: () => crypto.randomUUID() },
      log: silentLog,
      settings: () => door.settings,
      runner: () => createAgentRunner({ models: door.settings.models, clock: test.clock }),
      liveTurns: createLiveTurns(),
      threads,
      compose: createCompose({ renderer: () => null, storeFile, people: async () => [] }),
      replies: createReplySignal(),
      effectiveTools: createEffectiveTools(() => []),
      accounts: { find: () => null },
      openOutput: () => ({ text: () => undefined, tool: () => undefined, finish: async () => undefined }),
      readAttachment: () => Promise.reject(new Error("no files here")),
      storeFile,
      localTime,
      events: () => undefined,
      presentAccess: ({ rights }) => ({ admitted: true, role: rights.role, commandsDenied: null }),
      version: "0.0.0-test",
      draining: () => false,
      backoff: { delayMs: () => 1 },
      lookAgain: () => undefined,
    };
    const run = createTurnRunner({ ...sound, ...breaks(sound, fault) });
    const slot = { released: <T>(wait: () => Promise<T>) => wait() };
    /** As the work queue does; resolves to how often it threw. */
    const work = async (): Promise<number> => {
      for (let thrown = 0; ; thrown += 1) {
        try {
          await run(annKey, slot, AbortSignal.timeout(60_000));
          return thrown;
        } catch (error) {
          if (thrown === 10) throw error;
        }
      }
    };
    const said = async (): Promise<readonly string[]> =>
      (await door.deliveries()).map(({ content_json: json }) => {
        const content: { readonly piece?: { readonly plain: string } } = JSON.parse(json);
        return content.piece?.plain ?? "";
      });
    return { door, state, work, said };
  }

  it.each(Object.entries(PLACES))(
    "that stays, in %s: three tries, then people and operator are told, and the next message is answered",
    async (_place, breaks) => {
      const { door, state, work, said } = await prepare(await open(), breaks);
      state.left = Number.POSITIVE_INFINITY;
      await door.offer({ messageId: "1", text: "hello" });
      expect(await work()).toBeLessThanOrEqual(2);
      expect(state.met).toBeGreaterThan(0);
      const [told, ...more] = (await said()).map((text) => text.split("\n")[0]);
      // Where nothing can be worded the turn does not even begin.
      expect([TURN_FAILURES.internal.person, INPUT_PARKED.plain]).toContain(told);
      expect(more).toEqual([]);
      expect(await door.failures()).toMatchObject([{ message: expect.stringContaining("time zone") }]);
      const undone = (await door.inputs()).filter(({ state: now }) => now === "waiting" || now === "claimed");
      expect(undone.filter(({ payload }) => payload.kind === "event")).toEqual([]);
      state.left = 0;
      await door.offer({ messageId: "2", text: "say exactly: still here" });
      expect(await work()).toBe(0);
      expect((await said()).at(-1)).toBe("still here");
    },
  );

  it.each(Object.entries(PLACES))("that passes, in %s: the turn is tried again and answers", async (_place, breaks) => {
    const { door, state, work, said } = await prepare(await open(), breaks);
    state.left = 1;
    await door.offer({ messageId: "1", text: "say exactly: at last" });
    expect(await work()).toBe(1);
    expect(await said()).toEqual(["at last"]);
    expect(await door.failures()).toEqual([]);
  });
});
