import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Desk } from "./desk.ts";

describeOnEveryStore("/queue", (open) => {
  it("CM-6: shows, sets and takes back how this session's messages wait", async () => {
    const desk = new Desk(await open(), {
      messages: { queue: { mode: "followup", byChannel: { telegram: "collect" } } },
    });
    await desk.write("hello");
    expect(await desk.ask("/queue")).toBe(
      "New messages: collected and answered together afterwards (up to 20), after 500 ms without another one. If there are more: the oldest are summarized. Set in the configuration.",
    );
    expect(await desk.ask("/queue interrupt cap:5 drop:old")).toBe(
      "New messages: stop the running reply and are answered instead (up to 5). If there are more: the oldest are discarded. Set for this session.",
    );
    expect(await desk.ask("/queue collect debounce:2s")).toBe(
      "New messages: collected and answered together afterwards (up to 5), after 2000 ms without another one. If there are more: the oldest are discarded. Set for this session.",
    );
    expect((await desk.session()).queue).toEqual({ mode: "collect", quietMs: 2_000, cap: 5, drop: "old" });
    expect(await desk.ask("/status")).toContain("Queue: collect, 1 waiting");
    expect(await desk.ask("/queue default")).toBe(
      "New messages: collected and answered together afterwards (up to 20), after 500 ms without another one. If there are more: the oldest are summarized. Set in the configuration.",
    );
    expect((await desk.session()).queue).toBeNull();
  });

  it("CM-9: says what is not understood and changes nothing", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    expect(await desk.ask("/queue collect cap:0")).toBe("cap must be a whole number from 1 to 100.");
    expect(await desk.ask("/queue drop:some")).toBe("drop must be one of: summarize, old, new.");
    expect(await desk.ask("/queue debounce:2h")).toContain("at most 60s");
    expect(await desk.ask("/queue later")).toContain('"later" is unknown');
    expect((await desk.session()).queue).toBeNull();
  });
});
