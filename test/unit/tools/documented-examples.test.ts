import { afterAll, expect, it } from "vitest";
import type { ToolCase, ToolExample, ToolFailure } from "../../../docs/generate/tool-example.ts";
import { TOOL_EXAMPLES } from "../../../docs/generate/tool-examples.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { clauseCoverage } from "../../support/clauses.ts";
import { closeScenes, type OpenedScene, openScene, resultOf } from "./example-stage.ts";

const { clauses } = clauseCoverage();
afterAll(closeScenes);

/** What is refused changes nothing, so refusals that need no other call share a scene. */
const shared = new Map<string, Promise<OpenedScene>>();
function refusal(tool: string, call: ToolCase): Promise<JsonObject> {
  if (call.after !== undefined) return resultOf(tool, call);
  const who = `${call.from}/${call.asker}`;
  const opening = shared.get(who) ?? openScene(call);
  shared.set(who, opening);
  return resultOf(tool, call, opening);
}

/** What is shown, completed by what it leaves out: equal to the real result only when everything shown is true. */
function completed(shown: Json, real: Json | undefined): Json {
  if (typeof shown === "string" && shown.includes("…") && typeof real === "string") {
    const parts = shown.split("…");
    const fits = real.startsWith(parts[0] ?? "") && real.endsWith(parts.at(-1) ?? "");
    return fits ? real : shown;
  }
  if (Array.isArray(shown)) return shown.map((one, at) => completed(one, Array.isArray(real) ? real[at] : undefined));
  if (typeof shown !== "object" || shown === null) return shown;
  const { "…": more, ...said } = shown as JsonObject;
  const from = (typeof real === "object" && real !== null && !Array.isArray(real) ? real : {}) as JsonObject;
  const told = Object.entries(said).map(([name, value]) => [name, completed(value, from[name])]);
  return { ...(more === undefined ? {} : from), ...Object.fromEntries(told) } as JsonObject;
}

const examples: readonly [string, string, ToolExample][] = [...TOOL_EXAMPLES].flatMap(([tool, { examples: all }]) =>
  all.map((one): [string, string, ToolExample] => [tool, one.title, one]),
);
const failures: readonly [string, string, ToolFailure][] = [...TOOL_EXAMPLES].flatMap(([tool, { errors }]) =>
  errors.map((one): [string, string, ToolFailure] => [tool, one.when, one]),
);

it("TP-5: every tool has examples, and no other name does", () => {
  expect([...TOOL_EXAMPLES.keys()]).toEqual(TOOLS.map(({ name }) => name));
});

it.each(examples)("TP-5: the example of %s on its page is what happens: %s", async (tool, _title, example) => {
  const real = await resultOf(tool, example);
  expect(real).toEqual(completed(example.result, real));
});

it.each(failures)("ST-43: the error of %s on its page is what happens: %s", async (tool, _when, failure) => {
  if ("clause" in failure.proof) {
    expect((clauses.get(failure.proof.clause) ?? []).join("\n")).toContain(failure.proof.test);
    return;
  }
  const real = await refusal(tool, failure.proof);
  expect(real.status).toBe(failure.status);
  expect(real.error).toBe(completed(failure.error, real.error));
});
