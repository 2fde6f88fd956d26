import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { group } from "../bridge/door.ts";
import { Desk } from "./desk.ts";

describeOnEveryStore("a mistyped command", (open) => {
  it.each([
    ["/modell", "/model"],
    ["/modle openai/gpt", "/model"],
    ["/sotp", "/stop"],
    ["/Stpo.", "/stop"],
    ["/subagent list", "/subagents"],
  ])("FC-337, CM-5: %s is answered with the nearest name and reaches no model", async (typed, meant) => {
    const desk = new Desk(await open());
    const answer = await desk.ask(typed);
    expect(answer).toContain("There is no command /");
    expect(answer).toContain(`Did you mean ${meant}`);
    expect(answer).toContain("write it without the slash");
  });

  it("FC-337, CM-5: what is no slip goes to the agent, and so does what nobody addressed to the bot", async () => {
    const desk = new Desk(await open());
    for (const text of [
      "/tmp is full",
      "/etc/hosts is wrong",
      "/code it",
      "!modell",
      "what does /modell do?",
      "/of course",
    ])
      expect(await desk.write(text), text).toBe("accepted");
    const inGroup = { peer: group, route: { channel: "telegram", accountId: "default", to: group.id, threadId: null } };
    expect(await desk.write("/modell", inGroup)).toBe("kept");
    expect(await desk.write("/modell", { ...inGroup, mentions: { bot: true } })).toBe("command");
  });

  it("FC-339: /help and /start are one private message on every platform, for an owner too", async () => {
    const desk = new Desk(await open());
    for (const text of ["/help", "/start"]) {
      await desk.write(text);
      const [answer, ...more] = await desk.answers();
      expect(more).toEqual([]);
      expect(answer).toMatchObject({ private: true });
      // Discord's limit is the shortest.
      expect(answer?.text.length).toBeLessThan(2_000);
    }
  });
});
