import { setImmediate } from "node:timers/promises";
import { CHAT, OLD, SUB_AGENT, TEAM, TOPIC, type ToolCase } from "../../../docs/generate/tool-example.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { OPERATOR_RIGHTS } from "../../../src/core/session/rights.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
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

const opened: TestStore[] = [];
export async function closeScenes(): Promise<void> {
  for (const test of opened.splice(0)) await test.dispose();
}

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

export interface OpenedScene {
  readonly scene: ToolScene;
  readonly caller: Caller;
}
export async function openScene({ from = CHAT, asker }: ToolCase): Promise<OpenedScene> {
  const scene = await stage();
  const rights = asker === undefined ? OPERATOR_RIGHTS : USER;
  return { scene, caller: await scene.turn(from, { rights, route: from === CHAT ? place("111") : null }) };
}

/** What a call gives back in that scene. */
export async function resultOf(
  tool: string,
  example: ToolCase,
  opening: Promise<OpenedScene> = openScene(example),
): Promise<JsonObject> {
  const { args, after = [], answer } = example;
  const { scene, caller } = await opening;
  for (const before of after) {
    const { result } = await caller.call(before.tool, before.args);
    if (result.status === "error" || result.status === "forbidden") throw new Error(JSON.stringify(result));
  }
  const called = caller.call(tool, args);
  if (answer !== undefined) {
    const item = await firstWaiting(scene);
    await (await scene.next(TEAM)).end("reply", answer);
    scene.replies.tell(item.runId ?? "");
  }
  return withFixedIds((await called).result);
}

/** The call that sends runs on its own; its message is there within a few looks. */
async function firstWaiting(scene: ToolScene) {
  for (;;) {
    const [item] = await scene.store.read(waiting, TEAM);
    if (item !== undefined) return item;
    await setImmediate();
  }
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
