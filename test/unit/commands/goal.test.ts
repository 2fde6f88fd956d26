import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Desk } from "./desk.ts";

describeOnEveryStore("/goal", (open) => {
  it("ST-41: people set, pause, complete and remove the goal", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    expect(await desk.ask("/goal")).toBe("This session has no goal.");
    expect(await desk.ask("/goal pause")).toContain("no goal");
    expect(await desk.ask("/goal set")).toBe("Add the text: /goal set …");
    expect(await desk.ask("/goal set ship the release")).toBe("Goal (active): ship the release");
    expect(await desk.ask("/goal pause until Monday")).toBe("Goal (paused): ship the release\nNote: until Monday");
    expect(await desk.ask("/status")).toContain("Goal: ship the release (paused)");
    expect(await desk.ask("/goal set something else")).toBe("Goal (active): something else");
    expect(await desk.ask("/goal complete")).toBe("Goal (complete): something else");
    expect(await desk.ask("/goal clear")).toBe("The goal is removed.");
    expect((await desk.session()).goal).toBeNull();
  });
});
