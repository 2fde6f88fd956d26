import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuaranteeKind } from "../../src/channel/guarantee.ts";
import { runCase } from "../crash/case.ts";
import { FLOWS } from "../crash/flows.ts";
import { type Lane, openLane } from "../crash/lane.ts";
import { CELLS } from "./cells.ts";

/**
 * A send to the web page is a commit in the program's own store, so it is cut before and after that commit. `nth`: the
 * person's message is the first that is written.
 */
const COMMITS: Readonly<Partial<Record<GuaranteeKind, { flow: string; step: string; nth: number }>>> = {
  text: { flow: "plain answer", step: "conversation-append", nth: 2 },
  edit: { flow: "streamed answer", step: "conversation-edit", nth: 1 },
  file: { flow: "export", step: "conversation-append", nth: 3 },
  thread: { flow: "spawn in a thread", step: "conversation-open", nth: 1 },
  command: { flow: "command", step: "conversation-append", nth: 2 },
};
/** A streamed answer may be through before anything of it was shown; then there is no edit. */
const TRIES = 3;

let lane: Lane;
beforeAll(async () => {
  lane = await openLane("web");
});
afterAll(() => lane[Symbol.asyncDispose]());

test.each(CELLS.filter(({ channel }) => channel === "web"))("$name", { timeout: 120_000 }, async (cell) => {
  const commit = COMMITS[cell.kind];
  const flow = FLOWS.find(({ name }) => name === commit?.flow);
  const when = cell.fault === "crash_before" ? "before" : cell.fault === "crash_after" ? "after" : null;
  if (commit === undefined || flow === undefined || when === null) throw new Error(`nothing shows "${cell.name}"`);
  for (let attempt = 1; ; attempt += 1) {
    const mark = `mweb${cell.kind}${when}${attempt}`;
    const result = await runCase(lane, { flow, point: { kind: "step", ...commit, when }, mark });
    expect(result.lost).toEqual([]);
    expect(result.extra).toEqual([]);
    expect(cell.holds).toBe("exactly once");
    if (result.died) return;
    if (attempt === TRIES) throw new Error(`the process was not ended: ${JSON.stringify(result.way?.steps)}`);
  }
});
