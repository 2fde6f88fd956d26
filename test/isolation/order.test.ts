import { afterAll, beforeAll, expect, test } from "vitest";
import { openWork } from "../crash/store-view.ts";
import { lastText, type ReplyFunction, say } from "../support/emulators/model/index.ts";
import { ANSWERS, answerTo, type Ground, startGround } from "./ground.ts";
import { type Chat, PLATFORMS, type PlatformName, type Struck } from "./sides.ts";

const PIECES = 5;
/** More than half of what fits into one message, so that each part is a message of its own. */
const LENGTH: Readonly<Record<PlatformName, number>> = { telegram: 2_500, discord: 1_200, slack: 2_500 };

const part = (name: PlatformName, at: number): string => `Part ${at} ${"x".repeat(LENGTH[name])}`;
const parts = (name: PlatformName): readonly string[] => Array.from({ length: PIECES }, (_, at) => part(name, at));

/** `pieces <platform>` is answered in five messages, everything else in one. */
const model: ReplyFunction = (request, index) => {
  const [, wanted] = /pieces (\w+)$/.exec(lastText(request, "user")) ?? [];
  const name = PLATFORMS.find((one) => one === wanted);
  return name === undefined ? ANSWERS(request, index) : say(parts(name).join("\n\n"));
};

const started: { ground: Ground | null } = { ground: null };
beforeAll(async () => {
  started.ground = await startGround(model);
});
afterAll(() => started.ground?.[Symbol.asyncDispose]());

interface Line {
  readonly name: PlatformName;
  readonly chat: Chat;
  readonly struck: Struck;
}

/** One conversation on each platform whose second piece meets the fault; the next question is asked when it has. */
async function stuckAtTheSecond(fault: "429" | "5xx" | "cut" | "held"): Promise<readonly Line[]> {
  const { ground } = started;
  if (ground === null) throw new Error("nothing was started");
  return Promise.all(
    PLATFORMS.map(async (name) => {
      const chat = ground.on(name).calm.chat();
      const struck = chat.struck({ what: "second", fault });
      chat.says(`pieces ${name}`);
      await expect.poll(() => struck.hits(), { timeout: 20_000, interval: 10 }).toBe(1);
      chat.says("say next");
      return { name, chat, struck };
    }),
  );
}

async function areReadInOrder(lines: readonly Line[], mayDouble: readonly PlatformName[]): Promise<void> {
  await Promise.all(
    lines.map(async ({ name, chat }) => {
      await chat.hears(answerTo("next"), 30_000);
      const read = chat.answers().map((text) => text.trim());
      const once = mayDouble.includes(name) ? read.filter((text, at) => text !== read[at - 1]) : read;
      expect(once.map((text) => text.slice(0, 20))).toEqual(
        [...parts(name), answerTo("next")].map((text) => text.slice(0, 20)),
      );
    }),
  );
}

test.each(["429", "5xx"] as const)(
  "DL-2: of five pieces the second meets a %s; the others and the next answer wait for it, on Telegram, Discord and Slack",
  async (fault) => areReadInOrder(await stuckAtTheSecond(fault), []),
);

test("DL-2, DL-3: of five pieces the answer to the second is cut; all stand in order, and only Telegram's may stand twice", async () => {
  await areReadInOrder(await stuckAtTheSecond("cut"), ["telegram"]);
});

test("DL-2, DL-3: killed while the second of five pieces is on its way, the rest and the next answer follow in order", async () => {
  const lines = await stuckAtTheSecond("held");
  // The rest of the first answer and the next one are stored on each platform.
  const folder = started.ground?.bridge.process.folder ?? "";
  const open = () => openWork(folder).deliveries;
  await expect.poll(open, { timeout: 20_000, interval: 20 }).toBe(PLATFORMS.length * PIECES);
  await started.ground?.bridge.process.kill();
  for (const { struck } of lines) struck.off();
  await started.ground?.bridge.restart();
  await areReadInOrder(lines, []);
});
