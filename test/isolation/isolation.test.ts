import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWork } from "../crash/store-view.ts";
import { answer, gate, lastText, text } from "../support/emulators/model/index.ts";
import { ANSWERS, answerTo, type Ground, startGround, TURNS_AT_ONCE } from "./ground.ts";
import { type Chat, type ManySided, PLATFORMS, type Side, type Struck } from "./sides.ts";

const started: { ground: Ground | null } = { ground: null };
beforeAll(async () => {
  started.ground = await startGround();
});
afterAll(() => started.ground?.[Symbol.asyncDispose]());

function ground(): Ground {
  if (started.ground === null) throw new Error("nothing was started");
  return started.ground;
}

/** More conversations than one account may send to at once. */
const MANY = 20;

/** Resolves when each has met its request: what comes now comes while they wait. */
async function met(struck: Struck, times: number): Promise<void> {
  await expect.poll(() => struck.hits(), { timeout: 20_000, interval: 10 }).toBeGreaterThanOrEqual(times);
}

async function isAnswered(side: Side, word: string): Promise<void> {
  const chat = side.chat();
  chat.says(`say ${word}`);
  await chat.hears(answerTo(word));
}

/** Another account of the platform, the other platforms and the chat page. */
async function allOthersAreAnswered({ name, calm }: ManySided, word: string): Promise<void> {
  await isAnswered(calm, `${word}-calm`);
  for (const other of ground().others(name)) await isAnswered(other.calm, `${word}-${other.name}`);
  const { operator } = ground().bridge.web;
  await operator.says(`say ${word}-${name}-web`);
  await operator.hears(answerTo(`${word}-${name}-web`));
}

function crowd(side: Side, word: string): readonly Chat[] {
  const chats = Array.from({ length: MANY }, () => side.chat());
  for (const chat of chats) chat.says(`say ${word}`);
  return chats;
}

function silent(chats: readonly Chat[]): void {
  expect(chats.flatMap((chat) => chat.answers())).toEqual([]);
}

describe.each(PLATFORMS)("on %s", (name) => {
  test("DL-17, DL-4: a conversation whose send hangs delays no other one of its account", async () => {
    const { calm } = ground().on(name);
    const stuck = calm.chat();
    const struck = stuck.struck({ what: "hangs" });
    stuck.says("say stuck");
    await met(struck, 1);
    await isAnswered(calm, "beside-stuck");
    silent([stuck]);
    struck.off();
  });

  test("DL-17, DL-4: a conversation at its limit for ten minutes delays no other one of its account", async () => {
    const { calm } = ground().on(name);
    const limited = calm.chat();
    const struck = limited.struck({ what: "limited", wholeBot: false });
    limited.says("say limited");
    await met(struck, 1);
    await isAnswered(calm, "beside-limited");
    silent([limited]);
    expect(struck.hits()).toBe(1);
    struck.off();
  });

  test("DL-17, DL-4: a conversation that is gone delays no other one of its account", async () => {
    const { calm } = ground().on(name);
    const gone = calm.chat();
    const struck = gone.struck({ what: "gone" });
    gone.says("say gone");
    await met(struck, 1);
    await isAnswered(calm, "beside-gone");
    silent([gone]);
    struck.off();
  });

  test("DL-17, TN-1: turns whose last edit their platform does not take keep no place from those of the others", async () => {
    const { streams } = ground().on(name);
    const growing = Array.from({ length: TURNS_AT_ONCE }, () => ({ chat: streams.chat(), more: gate(), rest: gate() }));
    ground().bridge.script((request, index) => {
      const word = lastText(request, "user").split(/\s+/).at(-1) ?? "";
      const { more, rest } = growing[Number(word.replace("grow", ""))] ?? {};
      if (more === undefined || rest === undefined) return ANSWERS(request, index);
      return answer(text("It grows. "), more.step, text("And grows. "), rest.step, text("Done."));
    });
    const struck = growing.map(({ chat }) => chat.struck({ what: "hangs" }, "edits"));
    for (const [at, { chat }] of growing.entries()) chat.says(`say grow${at}`);
    for (const { chat, more } of growing) {
      await expect.poll(() => chat.answers().join(), { timeout: 20_000, interval: 10 }).toContain("It grows.");
      more.open();
    }
    for (const one of struck) await met(one, 1);
    for (const { rest } of growing) rest.open();
    await allOthersAreAnswered(ground().on(name), "grown");
    const { folder } = ground().bridge.process;
    expect(openWork(folder).turns).toBe(TURNS_AT_ONCE);
    for (const one of struck) one.off();
  });

  test("DL-17, CH-6: while all that an account sends hangs, the other account, the other platforms and the page are answered", async () => {
    const side = ground().on(name);
    const struck = side.hung.struck({ what: "hangs" });
    const chats = crowd(side.hung, "hanging");
    await met(struck, 16);
    await allOthersAreAnswered(side, "hanging");
    silent(chats);
    struck.off();
  });

  test("DL-17, DL-4: an account that is refused for ten minutes waits, and delays no other", async () => {
    const side = ground().on(name);
    const struck = side.refused.struck({ what: "limited", wholeBot: true });
    const chats = crowd(side.refused, "refused");
    await met(struck, 1);
    await allOthersAreAnswered(side, "refused");
    silent(chats);
    // It is not asked again and again: at most once for each conversation.
    expect(struck.hits()).toBeLessThanOrEqual(MANY);
    struck.off();
  });
});
