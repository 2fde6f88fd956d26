import { expect, test } from "vitest";
import type { Tree } from "../../../config/load/faults.ts";
import { faultLines } from "./fault-lines.ts";

const cases: readonly (readonly [Tree, string])[] = [
  [{ acp: { enabled: false } }, "acp: not available yet: external harnesses over ACP. Remove it."],
  [{ hooks: {} }, "hooks: not available yet: webhooks that start sessions. Remove it."],
  [
    { agents: { defaults: { sandbox: { mode: "all" } } } },
    "agents.defaults.sandbox.mode: not available yet: the sandbox. Remove it.",
  ],
  [
    { store: { url: "postgres://u:p@h/db" } },
    'store.url: not available yet: PostgreSQL. Use "sqlite:./data/switchyard.db".',
  ],
];

test.each(cases)("FC-089: what has not arrived is a fault, not an ignored key: %j", (tree, line) => {
  expect(faultLines(tree)).toEqual([line]);
});

test("OP-2: keys whose part has not arrived may say what happens anyway", () => {
  const tree = {
    agents: { defaults: { sandbox: { mode: "off" } } },
    session: { reset: { mode: "none" }, resetByType: {}, resetByChannel: {} },
    messages: { queue: { mode: "followup", drop: "summarize" } },
    limits: { daily: { tokens: 0, cost: 0 } },
    commands: { config: false },
  };
  expect(faultLines(tree)).toEqual([]);
});
