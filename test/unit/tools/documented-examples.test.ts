import { afterAll, expect, it } from "vitest";
import {
  CHAT,
  OLD,
  SUB_AGENT,
  TEAM,
  TOPIC,
  type ToolCase,
  type ToolExample,
  type ToolFailure,
} from "../../../docs/generate/tool-example.ts";
import { TOOL_EXAMPLES } from "../../../docs/generate/tool-examples.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { OPERATOR_RIGHTS } from "../../../src/core/session/rights.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { clauseCoverage } from "../../support/clauses.ts";
import { testSettings } from "../../support/test-settings.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { assistant, type Caller, key, ToolScene, USER, user } from "./tool-scene.ts";

const settings = testSettings({
  models: {
    providers: {
      demo: { type: "demo" },
      local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { other: {} } },
    },
  },
  agents: {
    defaults: {
      model: "demo/switchyard",
      subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 3, allowAgents: ["coder"] },
    },
    entries: { main: { default: true }, coder: { model: "local/other" }, writer: {} },
  },
  tools: { profile: "full", sessions: { visibility: "agent" } },
  channels: { telegram: { botToken: "9:token", groups: { "-100555": {} } } },
});
const place = (to: string) => ({ channel: "telegram", accountId: "default", to, threadId: null });
const PLAN: NewMessage = {
  role: "user",
  parts: [
    { type: "text", text: "Please look after the release." },
    { type: "attachment", attachment: { name: "plan.pdf", mime: "application/pdf", bytes: 9, sha256: "a1" } },
  ],
  provenance: {
    kind: "human",
    sender: { channel: "telegram", accountId: "default", id: "111" },
    senderName: "Ann",
    messageId: null,
  },
  usage: null,
};

const waiting = defineRead("example-waiting", async (db, sessionKey: string) =>
  (
    await db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", sessionKey)
      .where("state", "=", "waiting")
      .execute()
  ).map(inboxItemFromRow),
);

const { clauses } = clauseCoverage();
const opened: TestStore[] = [];
afterAll(async () => {
  for (const test of opened) await test.dispose();
});

/** The scene that docs/reference/tools.md describes. */
async function stage(): Promise<ToolScene> {
  const test = await openTestStore();
  opened.push(test);
  const scene = new ToolScene(test, settings);
  await scene.session("agent:main:main");
  await scene.session("agent:main:telegram:direct:222", { label: "family" });
  await scene.session("agent:main:telegram:direct:333", { label: "family" });
  await scene.session(OLD, { route: place("-100777") });
  await scene.archive(OLD);
  await scene.session(TOPIC);
  await scene.session(TEAM, { route: place("-100555"), label: "release team" });
  await scene.write(TEAM, [
    user("Is the rollout plan final?", PLAN.provenance),
    assistant("Yes: version 3, from Monday."),
  ]);
  await scene.session(CHAT, { route: place("111") });
  await scene.write(CHAT, [PLAN]);
  await scene.session(SUB_AGENT, { spawnedBy: key(CHAT), depth: 2 });
  return scene;
}

interface Opened {
  readonly scene: ToolScene;
  readonly caller: Caller;
}
async function open({ from = CHAT, asker }: ToolCase): Promise<Opened> {
  const scene = await stage();
  const rights = asker === undefined ? OPERATOR_RIGHTS : USER;
  return { scene, caller: await scene.turn(from, { rights, route: from === CHAT ? place("111") : null }) };
}

async function resultOf(
  tool: string,
  example: ToolCase,
  opening: Promise<Opened> = open(example),
): Promise<JsonObject> {
  const { args, after = [], answer } = example;
  const { scene, caller } = await opening;
  for (const before of after) {
    const { result } = await caller.call(before.tool, before.args);
    expect(["error", "forbidden"]).not.toContain(result.status);
  }
  const called = caller.call(tool, args);
  if (answer !== undefined) {
    await expect.poll(() => scene.store.read(waiting, TEAM), { timeout: 5_000, interval: 5 }).toHaveLength(1);
    const [item] = await scene.store.read(waiting, TEAM);
    await (await scene.next(TEAM)).end("reply", answer);
    scene.replies.tell(item?.runId ?? "");
  }
  return withFixedIds((await called).result);
}

/** What is refused changes nothing, so refusals that need no other call share a scene. */
const shared = new Map<string, Promise<Opened>>();
function refusal(tool: string, call: ToolCase): Promise<JsonObject> {
  if (call.after !== undefined) return resultOf(tool, call);
  const who = `${call.from}/${call.asker}`;
  const opening = shared.get(who) ?? open(call);
  shared.set(who, opening);
  return resultOf(tool, call, opening);
}

/** Ids are random; each is replaced by one that counts, in the order of their first mention. */
function withFixedIds(result: JsonObject): JsonObject {
  const ids: string[] = [];
  const text = JSON.stringify(result).replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `00000000-0000-4000-8000-${String(ids.indexOf(id) + 1).padStart(12, "0")}`;
  });
  return JSON.parse(text) as JsonObject;
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
