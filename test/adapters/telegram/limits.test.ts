import { expect, it } from "vitest";
import { createFloodWatch } from "../../../adapters/telegram/render.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const written = (times: number, chat: string, floods: ReturnType<typeof createFloodWatch>): void => {
  for (let at = 0; at < times; at += 1) floods.tried(chat);
};

it("DL-17, FC-092: two groups that met their own limits hold themselves, a quiet chat that is refused as well means the bot", () => {
  const floods = createFloodWatch(new FakeClock());
  written(12, "-1001", floods);
  written(12, "-1002", floods);
  expect(floods.bucketFor("-1001", 40_000)).toBe("chat:-1001");
  expect(floods.bucketFor("-1002", 40_000)).toBe("chat:-1002");
  written(1, "111", floods);
  expect(floods.bucketFor("111", 5_000)).toBe("bot");
});

it("DL-17: what a chat was sent long ago says nothing of its limit now", () => {
  const clock = new FakeClock();
  const floods = createFloodWatch(clock);
  written(12, "-1002", floods);
  clock.advance(61_000);
  written(1, "-1001", floods);
  written(1, "-1002", floods);
  expect(floods.bucketFor("-1001", 40_000)).toBe("chat:-1001");
  expect(floods.bucketFor("-1002", 40_000)).toBe("bot");
});
