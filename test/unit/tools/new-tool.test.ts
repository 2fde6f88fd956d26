import { expect, it } from "vitest";
import { z } from "zod";
import { toolPage, toolsPage } from "../../../docs/generate/tools-page.ts";
import { executeCall } from "../../../src/agent/turn/work.ts";
import { OPERATOR_RIGHTS, type Rights } from "../../../src/core/session/rights.ts";
import { createEffectiveTools } from "../../../src/tools/policy.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { defineTool, type ToolContext } from "../../../src/tools/tool.ts";
import { testSettings } from "../../support/test-settings.ts";
import { openTestStore, silentLog } from "../../support/test-store.ts";
import { Desk } from "../commands/desk.ts";

/** What CONTRIBUTING asks of a new tool: its definition, and its line in the registry. */
const dice = defineTool({
  name: "roll_dice",
  description: "Rolls a die. Returns the number.",
  group: "runtime",
  profiles: ["coding"],
  subagents: "none",
  input: z.object({ sides: z.int().min(2).describe("How many sides the die has.") }),
  output: z.object({ status: z.literal("ok"), rolled: z.int() }),
  execute: async ({ sides }) => ({ result: { status: "ok", rolled: sides } }),
});
const registry = [...TOOLS, dice];
const effectiveTools = createEffectiveTools(() => [], registry);

function offered(tools: object, { rights = OPERATOR_RIGHTS, depth = 0 }: { rights?: Rights; depth?: number } = {}) {
  const settings = testSettings({ tools: { ...tools } });
  const agent = settings.agents.get("main");
  if (agent === undefined) throw new Error("no agent");
  return effectiveTools({ settings, agent, session: { depth }, rights, model: agent.model });
}
const has = (...facts: Parameters<typeof offered>) => offered(...facts).tools.includes(dice);

it("TP-5: a tool of the registry is offered with its parameters, by its own profiles", () => {
  expect(has({})).toBe(true);
  expect(has({ profile: "full" })).toBe(true);
  expect(has({ profile: "messaging" })).toBe(false);
  expect(has({ profile: "messaging", alsoAllow: ["group:runtime"] })).toBe(true);
  expect(dice.parameters()).toMatchObject({ required: ["sides"], properties: { sides: { minimum: 2 } } });
});

it("TP-2, TP-4: a tool of the registry is under policy: by name, by group and by depth, and the layer is named", () => {
  for (const deny of ["roll_dice", "group:runtime", "roll_*"]) {
    const { tools, removed } = offered({ deny: [deny] });
    expect(tools).not.toContain(dice);
    expect(removed).toContainEqual({ tool: "roll_dice", layer: "tools.deny" });
  }
  expect(has({}, { depth: 1 })).toBe(false);
});

it("TP-3: a tool that policy removed is refused at execution, one that it left runs", async () => {
  const context = { log: silentLog, signal: new AbortController().signal } as unknown as ToolContext;
  const resultWith = async (tools: object) => {
    const call = { callId: "c1", name: "roll_dice", args: { sides: 6 } };
    const [part] = (await executeCall(call, offered(tools).tools, context)).message.parts;
    return part?.type === "tool_result" ? part.result : null;
  };
  expect(await resultWith({})).toEqual({ status: "ok", rolled: 6 });
  expect(await resultWith({ deny: ["roll_dice"] })).toMatchObject({ status: "error" });
});

it("TP-3, TP-5: /tools and the reference list a tool of the registry", async () => {
  const test = await openTestStore();
  try {
    const desk = new Desk(test, {}, { effectiveTools });
    expect(await desk.ask("/tools verbose")).toContain("- roll_dice Rolls a die.");
  } finally {
    await test.dispose();
  }
  expect(toolsPage(registry)).toContain("| [roll_dice](tools/roll_dice.md) | `group:runtime` | Rolls a die |");
  const shown = { examples: [{ title: "Six", args: { sides: 6 }, result: { status: "ok" } }], errors: [] } as const;
  expect(toolPage(dice, shown)).toContain("| `sides` | integer (≥ 2) | required | How many sides the die has. |");
});
