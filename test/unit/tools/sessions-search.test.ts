import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { NewMessage, Provenance } from "../../../src/core/message/transcript.ts";
import { parseSearchQuery } from "../../../src/core/text/search-query.ts";
import { searchTexts } from "../../../src/core/texts/agent/tools/sessions-search.ts";
import { deleteSession } from "../../../src/store/parts/sessions.ts";
import { searchHits } from "../../../src/store/reads/sessions/search.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import { pruneSessions } from "../../../src/store/steps/upkeep/prune-sessions.ts";
import { defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { assistant, key, ToolScene, user } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const OTHER = "agent:main:discord:channel:2";
const settings = testSettings({ tools: { sessions: { visibility: "agent" } } });

interface Hit {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly messageId: number;
  readonly excerpt: string;
  readonly score: number;
}

const deleteWhole = defineStep("test-delete", "normal", deleteSession);
const useAgain = defineStep("test-use", "normal", async ({ db, now }, keys: readonly string[]) => {
  await db
    .updateTable("sessions")
    .set({ updated_at: now })
    .where("key", "in", [...keys])
    .execute();
});

const ANN: Provenance = {
  kind: "human",
  sender: { channel: "discord", accountId: "default", id: "7" },
  senderName: "Ann",
  messageId: null,
};
const person = (text: string): NewMessage => user(text, ANN);

/** The rows of the table in docs/search.md. */
function documented(): readonly { readonly query: string; readonly finds: string; readonly not: string }[] {
  const page = readFileSync(new URL("../../../docs/search.md", import.meta.url), "utf8");
  return page.split("\n").flatMap((line) => {
    const [, query, finds, not] = /^\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|/.exec(line) ?? [];
    return query === undefined || finds === undefined || not === undefined ? [] : [{ query, finds, not }];
  });
}

describeOnEveryStore("sessions_search", (open) => {
  async function prepare(given = settings) {
    const scene = new ToolScene(await open(), given);
    await scene.session(OWN);
    await scene.session(OTHER);
    const caller = await scene.turn(OWN);
    const search = async (query: string, args: JsonObject = {}) =>
      (await caller.call("sessions_search", { query, ...args })).result;
    const hits = async (query: string, args: JsonObject = {}) =>
      (await search(query, args)).results as unknown as readonly Hit[];
    const texts = async (query: string, args: JsonObject = {}) => (await hits(query, args)).map((hit) => hit.excerpt);
    return { scene, caller, search, hits, texts };
  }

  it("ST-11: finds exactly what the table in docs/search.md says, waiting words and indexed ones alike", async () => {
    const { scene, texts } = await prepare();
    const rows = documented();
    expect(rows.length).toBeGreaterThan(15);
    const corpus = [...new Set(rows.flatMap(({ finds, not }) => [finds, not]))];
    await scene.write(OTHER, corpus.map(person));
    for (let round = 0; round < 2; round += 1) {
      for (const { query, finds, not } of rows) {
        const found = await texts(query, { limit: 20 });
        expect(found, query).toContain(finds);
        expect(found, query).not.toContain(not);
      }
      // So many that the words above leave the waiting rows.
      if (round === 0)
        await scene.write(
          OTHER,
          Array.from({ length: 64 }, (_, at) => person(`filler ${at}`)),
        );
    }
  });

  it("ST-11: a result names session and message, and sessions_history opens what stands around it", async () => {
    const { scene, caller, hits } = await prepare();
    await scene.write(OTHER, [...Array.from({ length: 30 }, (_, at) => person(`m${at}`)), person("the needle")]);
    await scene.write(OTHER, [assistant("found it"), ...Array.from({ length: 30 }, (_, at) => person(`n${at}`))]);
    const [hit] = await hits("needle");
    expect(hit).toMatchObject({ sessionKey: OTHER, excerpt: "the needle", score: expect.any(Number) });
    const { result } = await caller.call("sessions_history", {
      sessionKey: OTHER,
      messageId: hit?.messageId ?? 0,
      limit: 5,
    });
    const views = result.messages as { text: string }[];
    expect(views.map((view) => view.text)).toEqual(["m28", "m29", "the needle", "found it", "n0"]);
    expect(result).toMatchObject({ sessionId: hit?.sessionId, truncated: true, hasMore: true });
    const older = await caller.call("sessions_history", {
      sessionKey: OTHER,
      offset: result.nextOffset as number,
      limit: 2,
    });
    expect((older.result.messages as { text: string }[]).map((view) => view.text)).toEqual(["m26", "m27"]);
  });

  it("ST-11: sessions_history refuses a message of another session as one that does not exist, and offset beside it", async () => {
    const { scene, caller } = await prepare();
    const seq = await scene.write(OWN, [person("own")]);
    const call = async (args: JsonObject) =>
      (await caller.call("sessions_history", { sessionKey: OTHER, ...args })).result;
    const foreign = await call({ messageId: seq });
    const missing = await call({ messageId: 999_999 });
    expect(foreign).toMatchObject({ status: "error", error: `no message ${seq} in this session` });
    expect(missing).toMatchObject({ status: "error", error: "no message 999999 in this session" });
    expect(await call({ messageId: seq, offset: 0 })).toMatchObject({ status: "error" });
  });

  it("ST-11, VS-2: hidden sessions are not searched, whatever filter names them", async () => {
    const { scene, search } = await prepare(testSettings({}));
    const child = "agent:coder:subagent:a";
    await scene.session(child, { spawnedBy: key(OWN), depth: 1 });
    await scene.session("agent:coder:subagent:b", { spawnedBy: key(child), depth: 2 });
    await scene.write(OTHER, [person("needle hidden")]);
    await scene.write("agent:coder:subagent:b", [assistant("needle below")]);
    await scene.write(OWN, [person("needle own")]);
    const found = async (args: JsonObject = {}) =>
      ((await search("needle", args)).results as unknown as readonly Hit[]).map((hit) => hit.excerpt).sort();
    expect(await found()).toEqual(["needle below", "needle own"]);
    expect(await found({ agentId: "coder" })).toEqual(["needle below"]);
    expect(await found({ sessionKey: "current" })).toEqual(["needle own"]);
    expect(await search("needle", { limit: 1 })).toMatchObject({ hasMore: true, visibility: { mode: "tree" } });
    const refused = await search("needle", { sessionKey: OTHER });
    const missing = await search("needle", { sessionKey: "agent:main:discord:channel:3" });
    expect(refused).toMatchObject({ status: "forbidden" });
    expect({ ...refused, error: "" }).toEqual({ ...missing, error: "" });
  });

  it("ST-11: under `all` every agent's sessions, under `agent` those of the agent and what it spawned", async () => {
    const all = testSettings({
      tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["*"] } },
    });
    for (const [given, expected] of [
      [all, ["needle child", "needle coder", "needle mine"]],
      [settings, ["needle child", "needle mine"]],
    ] as const) {
      const { scene, texts } = await prepare(given);
      await scene.session("agent:coder:main");
      await scene.session("agent:coder:subagent:a", { spawnedBy: key(OWN), depth: 1 });
      await scene.write("agent:coder:main", [person("needle coder")]);
      await scene.write("agent:coder:subagent:a", [assistant("needle child")]);
      await scene.write(OTHER, [person("needle mine")]);
      expect((await texts("needle")).toSorted()).toEqual(expected);
      expect(await texts("needle", { agentId: "nobody" })).toEqual([]);
    }
  });

  it("ST-11, ST-6, ST-7: what history hides is neither shown nor found", async () => {
    const secret = testSettings({
      tools: { sessions: { visibility: "agent" } },
      http: { token: "correct-horse-battery-staple" },
    });
    const { scene, search, texts } = await prepare(secret);
    await scene.write(OTHER, [
      assistant("<think>scheming plan</think>The token is correct-horse-battery-staple today", {
        ...{ type: "reasoning", text: "scheming too", providerData: null },
      }),
      person("my password=hunter22222 is easy"),
    ]);
    expect(await texts("scheming")).toEqual([]);
    expect(await texts("horse")).toEqual([]);
    expect(await texts("hunter*")).toEqual([]);
    const found = await search("today");
    expect(found).toMatchObject({ contentRedacted: true });
    expect(JSON.stringify(found)).not.toMatch(/horse|scheming/);
    expect(await texts("easy")).toEqual(["my password=[redacted:password] is easy"]);
  });

  it("ST-11: people, tasks and assistants are searched; tools, notices and other sessions' words are not", async () => {
    const { scene, texts } = await prepare();
    const from = key(OTHER);
    await scene.write(OTHER, [
      person("[Message from Ann (discord:7), 2026-01-01 12:00]\nneedle person"),
      user("[Subagent Task] needle task", { kind: "task", from }),
      assistant("needle assistant", {
        ...{ type: "tool_call", callId: "1", name: "needle", args: { needle: 1 }, providerData: null },
      }),
      user("needle system"),
      user("needle other", { kind: "inter_session", from, agentId: "main", runId: "r" }),
      user("needle done", { kind: "completion", from, runId: "r" }),
      { ...user("needle tool", { kind: "tool", tool: "exec" }), role: "tool" },
    ]);
    expect((await texts("needle")).toSorted()).toEqual(["needle assistant", "needle person", "needle task"]);
    expect(await texts("discord")).toEqual([]);
  });

  it("TN-13, SK-9, ST-11: former lives and moved conversations stay found, under the key they have now", async () => {
    const { scene, hits } = await prepare();
    const group = "agent:main:telegram:group:-100";
    await scene.session(group, { route: { channel: "telegram", accountId: "default", to: "-100", threadId: null } });
    await scene.write(group, [person("needle old")]);
    const { sessionId } = await scene.read(group);
    await scene.store.step(resetSession, { sessionKey: key(group), cause: "c", actor: "ann", archiveAfterMs: null });
    await scene.write(group, [person("needle new")]);
    const moved = "agent:main:telegram:group:-200";
    const move = { channel: "telegram", accountId: "default", from: "-100", to: "-200" };
    await scene.store.step(migrateConversation, move);
    expect((await hits("needle")).map((hit) => [hit.sessionKey, hit.excerpt])).toEqual([
      [moved, "needle new"],
      [moved, "needle old"],
    ]);
    expect(await hits("needle", { sessionKey: group })).toHaveLength(2);
    expect((await hits("needle", { sessionKey: sessionId })).map((hit) => hit.excerpt)).toEqual(["needle old"]);
  });

  it("ST-11: the best hit comes first, of equal ones the newer; long texts show the part that matched", async () => {
    const { scene, hits } = await prepare();
    await scene.write(OTHER, [
      person(`${"word ".repeat(300)} needle ${"😀 ".repeat(300)}`),
      person("needle once"),
      person("needle needle"),
      person("needle last"),
    ]);
    const found = await hits("needle");
    expect(found.slice(0, 3).map((hit) => hit.excerpt)).toEqual(["needle needle", "needle last", "needle once"]);
    expect(found[3]?.excerpt).toMatch(/^…(?:word )+needle (?:😀 ?)+…$/u);
    expect(found[3]?.excerpt.length).toBeLessThanOrEqual(242);
    expect(found.map((hit) => hit.score)).toEqual(found.map((hit) => hit.score).toSorted((a, b) => b - a));
  });

  it("ST-11: queries without a word and with too many are errors in words", async () => {
    const { search } = await prepare();
    expect(await search("***")).toMatchObject({ status: "error", error: searchTexts.noWord });
    const many = Array.from({ length: 17 }, (_, at) => `w${at}`).join(" ");
    expect(await search(many)).toMatchObject({ status: "error", error: expect.stringContaining("at most 16") });
  });

  it("ST-11, OP-10: what is removed is found no more, whether its words were indexed already or still wait", async () => {
    const { scene } = await prepare();
    const found = async () => {
      const [terms, places] = [parseSearchQuery("heron"), null];
      return (await scene.store.read(searchHits, { terms, places, limit: 500 })).length;
    };
    const gone = ["agent:main:discord:channel:31", "agent:main:discord:channel:32"];
    for (const text of [...gone, OWN, OTHER]) {
      await scene.session(text);
      // Every 64 words move on to the index.
      await scene.write(
        text,
        Array.from({ length: 40 }, () => person("the heron")),
      );
    }
    await scene.store.step(resetSession, { sessionKey: key(OTHER), cause: "c", actor: "ann", archiveAfterMs: null });
    expect(await found()).toBe(160);
    await scene.store.step(deleteWhole, key(gone[0] ?? ""));
    expect(await found()).toBe(120);
    scene.clock.advance(1_000);
    const before = scene.clock.now();
    // Still in use: of one of them an old life goes.
    await scene.store.step(useAgain, [OWN, OTHER]);
    await scene.store.step(pruneSessions, { before, limit: 20 });
    expect(await found()).toBe(40);
    await scene.write(OWN, [person("another heron")]);
    expect(await found()).toBe(41);
  });
});
