import { expect, it, vi } from "vitest";
import type { Compacted } from "../../../src/commands/command.ts";
import type { MergePolicy } from "../../../src/core/message/turn-inputs.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import type { ToMessage } from "../../../src/store/parts/transcript.ts";
import { transcriptTail } from "../../../src/store/reads/turns/transcript.ts";
import { openWork } from "../../../src/store/reads/upkeep/open-work.ts";
import { beginTurn } from "../../../src/store/steps/turns/begin-turn.ts";
import { steerIn } from "../../../src/store/steps/turns/steer-in.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { asStored } from "../../support/present-access.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey } from "../bridge/door.ts";
import { Desk } from "./desk.ts";

const key = annKey as SessionKey;
const policy: MergePolicy = { mode: () => "steer", signature: () => "", presentAccess: asStored, quietMs: 500 };
const toMessage: ToMessage = (item) => ({
  role: "user",
  parts: [{ type: "text", text: item.key }],
  provenance: item.provenance,
  usage: null,
});
const begin = (desk: Desk) =>
  desk.test.store.step(beginTurn, {
    sessionKey: key,
    turnId: crypto.randomUUID(),
    policy: () => policy,
    toMessage,
    chains: desk.door.settings.session.chains,
  });

const reopen = defineStep("reopen-command", "normal", async ({ db }, _: null) => {
  await db.updateTable("inbox").set({ state: "waiting", settled_at: null }).where("kind", "=", "command").execute();
});
const lives = defineRead("lives", (db, _: null) => db.selectFrom("session_ids").selectAll().execute());

describeOnEveryStore("the order of commands", (open) => {
  it("CM-4: commands of one session run in the order they were given, all in one go", async () => {
    const desk = new Desk(await open());
    for (const title of ["one", "two", "three"]) await desk.write(`/name ${title}`);
    expect((await desk.answers()).map((answer) => answer.text)).toEqual([
      "This session is now called “one”.",
      "This session is now called “two”.",
      "This session is now called “three”.",
    ]);
    expect(await desk.session()).toMatchObject({ displayName: "three" });
  });

  it("CM-4, FC-184: a command runs during a turn", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    expect(await begin(desk)).toMatchObject({ result: "begun" });
    expect(await desk.ask("/status")).toContain("running for 0 s");
  });

  it("TN-13: a message written after /new begins its turn in the new life, however fast it came", async () => {
    const desk = new Desk(await open());
    await desk.write("/name first");
    await desk.answers();
    const before = (await desk.session()).sessionId;
    await desk.write("/new");
    await desk.write("hello again");
    expect(await begin(desk)).toMatchObject({ result: "nothing" });
    desk.door.work.length = 0;
    expect((await desk.answers()).map((answer) => answer.text)).toEqual(["Started a fresh session."]);
    expect(desk.door.work).toContain(`turn ${annKey}`);
    const begun = await begin(desk);
    if (begun.result !== "begun") throw new Error(begun.result);
    expect(begun.turn.sessionId).not.toBe(before);
    expect(begun.items).toMatchObject([{ payload: { text: "hello again" } }]);
  });

  it("TN-8: /stop drops what was written before it and leaves what came after", async () => {
    const desk = new Desk(await open());
    await desk.write("first");
    await begin(desk);
    await desk.write("second");
    await desk.write("/stop");
    await desk.write("third");
    expect((await desk.answers()).map((answer) => answer.text)).toEqual([
      "Stopped. One waiting message was discarded.",
    ]);
    const begun = await begin(desk);
    expect(begun).toMatchObject({ result: "begun", items: [{ payload: { text: "third" } }] });
  });

  it("TN-8: a stopped request is marked as answered in the transcript, so that no later turn runs it", async () => {
    const desk = new Desk(await open());
    await desk.write("clean the whole house");
    await begin(desk);
    await desk.ask("/stop");
    const { sessionId } = await desk.session();
    const roles = (await desk.test.store.read(transcriptTail, { sessionId, limit: 10 })).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant"]);
  });

  it("TN-3: nothing written after a command is steered into a running turn before the command runs", async () => {
    const desk = new Desk(await open());
    await desk.write("first");
    const begun = await begin(desk);
    if (begun.result !== "begun") throw new Error(begun.result);
    await desk.write("/think high");
    await desk.write("more");
    const steer = () =>
      desk.test.store.step(steerIn, {
        turnId: begun.turn.id,
        fence: begun.turn.fence,
        sessionKey: key,
        policy,
        toMessage,
        skipped: [],
      });
    expect(await steer()).toEqual([]);
    await desk.answers();
    expect(await steer()).toHaveLength(1);
  });

  it("CM-4: a command that waits for a model holds up only its own kind, and a stop leaves it to the next start", async () => {
    const stopping = new AbortController();
    const asked: (string | null)[] = [];
    const desk = new Desk(
      await open(),
      {},
      {
        compact: ({ instructions, signal }) => {
          asked.push(instructions);
          const { promise, resolve } = Promise.withResolvers<Compacted>();
          if (signal === stopping.signal) signal.addEventListener("abort", () => resolve({ result: "failed" }));
          else resolve({ result: "nothing" });
          return promise;
        },
      },
    );
    await desk.write("hello");
    for (const text of ["/compact one", "/name Herons", "/compact two"]) await desk.write(text);
    const slot = { released: <T>(wait: () => Promise<T>) => wait() };
    await desk.dispatch.handle(key, slot, stopping.signal);
    expect(desk.door.work).toContain(`long-command ${key}`);
    expect((await desk.session()).displayName).toBe("Herons");
    const long = desk.dispatch.handleLong(key, slot, stopping.signal);
    await vi.waitUntil(() => asked.length === 1);
    stopping.abort();
    await long;
    expect(await desk.test.store.read(openWork, undefined)).toContainEqual({ task: "command", key, at: undefined });
    expect((await desk.answers()).map(({ text }) => text)).toEqual([
      "This session is now called “Herons”.",
      "There is nothing to summarize yet.",
      "There is nothing to summarize yet.",
    ]);
    expect(asked).toEqual(["one", "one", "two"]);
  });

  it("CM-2: a command left by a crash runs at the next start; /new twice is one reset", async () => {
    const desk = new Desk(await open());
    await desk.write("/new");
    expect(await desk.test.store.read(openWork, undefined)).toContainEqual({
      task: "command",
      key: annKey,
      at: undefined,
    });
    await desk.answers();
    const reset = (await desk.session()).sessionId;
    await desk.test.store.step(reopen, null);
    // The same answer under the same key is one message.
    expect(await desk.answers()).toEqual([]);
    expect((await desk.session()).sessionId).toBe(reset);
    expect(await desk.test.store.read(lives, null)).toHaveLength(2);
    expect(await desk.test.store.read(openWork, undefined)).toEqual([]);
  });

  it("CM-2: an answer that cannot be shown is said in one line and keeps nothing waiting", async () => {
    const desk = new Desk(
      await open(),
      { delivery: { maxChunks: 1 } },
      {
        renderer: () => ({
          maxLength: 400,
          render: (nodes) => {
            const text = JSON.stringify(nodes);
            return { rich: text, plain: text, length: text.length };
          },
        }),
        storeFile: () => Promise.reject(new Error("no space left on the device")),
      },
    );
    await desk.write("/status");
    await desk.write("hello");
    const [answer] = await desk.answers();
    expect(answer?.text).toContain("/status ran, but its reply could not be shown");
    expect(answer?.text).not.toContain("no space");
    expect(await begin(desk)).toMatchObject({ result: "begun" });
  });
});
