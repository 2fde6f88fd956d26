import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Desk } from "./desk.ts";

describeOnEveryStore("/queue", (open) => {
  it("CM-6: shows, sets and takes back how this session's messages wait", async () => {
    const desk = new Desk(await open(), {
      messages: { queue: { mode: "followup", byChannel: { telegram: "collect" } } },
    });
    await desk.write("hello");
    expect(await desk.ask("/queue")).toBe("Queue (as configured): collect, debounce 500 ms, cap 20, drop summarize.");
    expect(await desk.ask("/queue interrupt cap:5 drop:old")).toBe(
      "Queue (set here): interrupt, cap 5, drop old from now on.",
    );
    expect(await desk.ask("/queue collect debounce:2s")).toBe(
      "Queue (set here): collect, debounce 2000 ms, cap 5, drop old from now on.",
    );
    expect((await desk.session()).queue).toEqual({ mode: "collect", quietMs: 2_000, cap: 5, drop: "old" });
    expect(await desk.ask("/status")).toContain("Queue: collect, 1 waiting");
    expect(await desk.ask("/queue default")).toBe(
      "Queue (as configured): collect, debounce 500 ms, cap 20, drop summarize from now on.",
    );
    expect((await desk.session()).queue).toBeNull();
  });

  it("CM-9: says what is not understood and changes nothing", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    expect(await desk.ask("/queue collect cap:0")).toBe("cap is a whole number from 1 to 100.");
    expect(await desk.ask("/queue drop:some")).toBe("drop is one of: summarize, old, new.");
    expect(await desk.ask("/queue debounce:2h")).toContain("up to 60s");
    expect(await desk.ask("/queue later")).toContain('"later" is not known');
    expect((await desk.session()).queue).toBeNull();
  });
});
