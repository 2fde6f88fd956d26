import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { SKIPPABLE, skip } from "../guarantee/scene-run.ts";
import { say } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startSwitchyardProcess } from "../support/switchyard-process.ts";
import { startTestBridge } from "../support/test-bridge.ts";
import { KILLABLE } from "./control.ts";

const IN_MIGRATION = fileURLToPath(new URL("./kill-in-migration.ts", import.meta.url));
/** As many as there are numbered files. */
const MIGRATIONS = readdirSync(new URL("../../src/store/migrations/", import.meta.url)).filter((name) =>
  /^\d{4}-/.test(name),
).length;
const CONFIG = {
  models: { providers: { demo: { type: "demo" } } },
  agents: { defaults: { model: "demo/switchyard" } },
  channels: { web: { enabled: true } },
};

test("OP-10: killed while the store is made, the next start makes it whole", { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "swm-"));
  try {
    const dying = { nodeArgs: ["--import", IN_MIGRATION], env: { KILL_IN_MIGRATION: "25" } };
    await expect(startSwitchyardProcess({ folder, config: CONFIG, ...dying })).rejects.toThrow("ended (null)");
    const program = await startSwitchyardProcess({ folder, config: CONFIG });
    expect(await program.stop()).toBe(0);
    const made = looking(folder, "select count(*) from sqlite_master where type in ('table', 'index')");
    expect(Number(made[0])).toBeGreaterThan(40);
    expect(looking(folder, "select version from schema_version")).toEqual([MIGRATIONS]);
    expect(looking(folder, "pragma integrity_check")).toEqual(["ok"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("OP-10: killed while old sessions are removed, each is there whole or gone whole, and people go on", {
  timeout: 240_000,
}, async () => {
  const nodeArgs = [...SKIPPABLE.nodeArgs, ...KILLABLE.nodeArgs];
  const dyingAt = (step: string) => ({ nodeArgs, env: { ...SKIPPABLE.env, KILL_AT_STEP: step } });
  await using bridge = await startTestBridge({
    telegram: false,
    model: modelRules([/good morning$/, say("Good morning.")]),
    config: { store: { retention: { sessions: "1d" } } },
    start: dyingAt("before prune-sessions:1"),
  });
  const garden = await bridge.web.channel("Garden");
  const dies = async (): Promise<{ sessions: number; words: number }> => {
    await garden.says("good morning");
    await garden.hears("Good morning.");
    // The first clean-up is a minute after the start.
    await skip({ bridge }, 86_400_000 + 61_000).catch(() => undefined);
    await bridge.process.exited;
    const count = (table: string): number => Number(looking(bridge.process.folder, `select count(*) from ${table}`)[0]);
    return { sessions: count("sessions"), words: count("messages") };
  };
  const before = await dies();
  expect(before.sessions).toBeGreaterThan(0);
  expect(before.words).toBe(2);
  await bridge.restart(dyingAt("prune-sessions:1"));
  expect(await dies()).toEqual({ sessions: 0, words: 0 });
  await bridge.restart();
  await garden.says("good morning");
  await garden.hears("Good morning.");
});

function looking(folder: string, question: string): readonly unknown[] {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    return database.prepare(question).pluck().all();
  } finally {
    database.close();
  }
}
