import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  storeCorrupt,
  storeFull,
  storeInUse,
  storeMissing,
  storeReadOnly,
} from "../../src/core/texts/store/outcomes.ts";
import { sqliteFiles } from "../../src/store/dialect/sqlite.ts";
import { lockStore } from "../../src/store/dialect/store-lock.ts";
import { operatorSessions } from "../../src/store/reads/upkeep/operator.ts";
import { afterTest, closeScenesAfterEach, tempFolder } from "../support/program-scene.ts";
import { type ProgramRun, runSwitchyard, writeConfig } from "../support/run-switchyard.ts";
import { mountDisk, whyNoDisk } from "../support/small-disk.ts";
import { startSwitchyardProcess } from "../support/switchyard-process.ts";

closeScenesAfterEach();

const DEMO = { agents: { defaults: { model: "demo/switchyard" } } };

/** A start that is refused: what it says on the terminal, in one line and without a stack. */
async function refusedStart(folder: string, config: object | string, port = "0"): Promise<string> {
  const run = await runSwitchyard(folder, ["start", "--config", writeConfig(folder, config), "--port", port]);
  expect(run.code, run.out + run.err).toBe(1);
  expect(run.err).not.toMatch(/\n {4}at |node:internal/);
  return run.err.trimEnd();
}

/** Nothing of a refused start stays: the store can be locked, and no socket is there. */
function expectNothingLeft(dataDir: string): void {
  lockStore(join(dataDir, "switchyard.db")).release();
  expect(existsSync(join(dataDir, "control.sock"))).toBe(false);
}

describe("a start that is refused", { timeout: 120_000 }, () => {
  test("OP-5, OP-6, OP-10: beside a running process: the second names the first, a taken port is named, a backup is whole", async () => {
    const first = await startSwitchyardProcess({ config: DEMO });
    afterTest(async () => {
      await first.kill();
      await first.remove();
    });
    const port = new URL(first.url).port;
    const other = tempFolder();
    const config = join(first.folder, "switchyard.json5");
    const [second, taken, backup] = await Promise.all([
      runSwitchyard(first.folder, ["start", "--config", config, "--port", "0"]),
      refusedStart(other, DEMO, port),
      runSwitchyard(first.folder, ["db", "backup", "copy.db", "--config", config]),
    ]);
    const file = join(first.folder, "data/switchyard.db");
    expect(second).toMatchObject({
      code: 1,
      err: `switchyard: ${storeInUse(file, String(first.pid))}\n`,
    });
    expect(taken).toBe(
      `1 problem found:\nhttp.port: port ${port} on 127.0.0.1 is already in use. Choose another port with --port or SWITCHYARD_PORT. 0 picks any free port.`,
    );
    expectNothingLeft(join(other, "data"));
    expect(backup).toMatchObject({ code: 0, err: "" });
    const copy = join(first.folder, "copy.db");
    expect(sqliteFiles.faults(copy)).toEqual([]);
    const restored = await sqliteFiles.openForReading(copy);
    expect(await restored.read(operatorSessions, { search: null, limit: 10 })).toEqual([]);
    await restored.close();
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
    expectNothingLeft(join(first.folder, "data"));
  });

  test("OP-9: a part that fails after the port was opened ends the process and closes the port again", async () => {
    const folder = join(tempFolder(), "d".repeat(90));
    mkdirSync(folder);
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const address = probe.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => probe.close(resolve));
    const said = await refusedStart(folder, DEMO, String(port));
    expect(said).toMatch(/^switchyard: the path of the control socket is too long \(.*\); use a shorter store.url$/);
    expectNothingLeft(join(folder, "data"));
  });

  test("OP-10: a damaged and an unreachable store", async () => {
    const at = { garbage: tempFolder(), folder: tempFolder() };
    mkdirSync(join(at.garbage, "data"));
    writeFileSync(join(at.garbage, "data/switchyard.db"), "no database ".repeat(1_000));
    writeFileSync(join(at.folder, "data"), "a file where the folder should be");
    const [garbage, folder] = await Promise.all([refusedStart(at.garbage, DEMO), refusedStart(at.folder, DEMO)]);
    expect(garbage).toBe(`switchyard: ${storeCorrupt(`${at.garbage}/data/switchyard.db`)}`);
    expect(folder).toBe(`switchyard: ${storeMissing(`${at.folder}/data/switchyard.db`)}`);
    expectNothingLeft(join(at.garbage, "data"));
  });

  const noDisk = whyNoDisk();
  test.skipIf(noDisk !== null)(
    `OP-10: a read-only and a full disk${noDisk === null ? "" : ` (none can be mounted here: ${noDisk})`}`,
    async () => {
      const [readOnly, full] = [mountDisk(1), mountDisk(1)];
      afterTest(async () => readOnly.unmount());
      afterTest(async () => full.unmount());
      readOnly.readOnly();
      full.fill();
      const storeIn = (folder: string) => ({ ...DEMO, store: { url: `sqlite:${folder}/switchyard.db` } });
      const said = await Promise.all([
        refusedStart(tempFolder(), storeIn(readOnly.folder)),
        refusedStart(tempFolder(), storeIn(full.folder)),
      ]);
      expect(said).toEqual([
        `switchyard: ${storeReadOnly(`${readOnly.folder}/switchyard.db`)}`,
        `switchyard: ${storeFull(`${full.folder}/switchyard.db`)}`,
      ]);
    },
  );
});

describe("OP-2: a configuration that is not in order", { timeout: 120_000 }, () => {
  const faulty = `{
    // every kind of fault at once
    http: { port: 99999 },
    agnts: {},
    agents: { defaults: { model: "nobody/gpt" } },
    channels: { telegram: { botToken: "\${NO_SUCH_TOKEN}", dmPolicy: "open", groupPolicy: "sometimes" } },
    bindings: [{ agentId: "ghost", match: { channel: "telegram" } }],
    messages: { mentionPatterns: ["(a+"] },
  }`;

  test("all faults at once, each with its path and remedy, from start as from config check", async () => {
    const folder = tempFolder();
    const config = writeConfig(folder, faulty);
    const [check, json, start] = await Promise.all([
      runSwitchyard(folder, ["config", "check", "--config", config]),
      runSwitchyard(folder, ["config", "check", "--json", "--config", config]),
      runSwitchyard(folder, ["start", "--config", config]),
    ]);
    expect(check.err.trimEnd().split("\n")).toEqual([
      "8 problems found:",
      "channels.telegram.botToken: the environment variable NO_SUCH_TOKEN is not set. Set NO_SUCH_TOKEN in the environment or in .env, or remove channels.telegram.botToken.",
      "http.port: must be at most 65535, but is 99999. Write a number that is at most 65535.",
      'channels.telegram.groupPolicy: must be "allowlist" or "open" or "disabled", but is "sometimes". Available: allowlist, disabled, open.',
      'agnts: unknown key. Did you mean "agents"?',
      'channels.telegram.dmPolicy: "open" lets everyone in, but allowFrom does not contain "*". Set allowFrom: ["*"], or use "pairing" or "allowlist".',
      'agents.defaults.model: unknown model provider "nobody". Available: demo.',
      String.raw`messages.mentionPatterns[0]: the pattern "(a+" is not a valid RE2 regular expression: missing closing ). Use a simple one, such as "\\bswitchy\\b".`,
      'bindings[0].agentId: unknown agent "ghost". Available: main.',
    ]);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, faults: { length: 8 } });
    expect(json).toMatchObject({ code: 1, err: "" });
    expect(check.code).toBe(1);
    expect(start).toEqual<ProgramRun>({ code: 1, out: "", err: check.err });
    expect(readdirSync(folder)).toEqual(["switchyard.json5"]);
  });

  test("a file that is not JSON5, is not there, or is something else names the file and the place", async () => {
    const folder = tempFolder();
    const other = tempFolder();
    const [syntax, list, missing] = await Promise.all([
      refusedStart(folder, "{ http: { port: 1 "),
      refusedStart(other, "[]"),
      runSwitchyard(folder, ["start", "--config", "nowhere.json5"]),
    ]);
    const begin = "1 problem found:\n";
    expect(syntax).toBe(
      `${begin}${folder}/switchyard.json5: line 1, column 19: invalid end of input. Fix the syntax there. A comma, quote or bracket is often missing just before it.`,
    );
    expect(list).toBe(
      `${begin}${other}/switchyard.json5: is not a section in { }. Start the file with { and end it with }.`,
    );
    expect(missing).toEqual({
      code: 1,
      out: "",
      err: `${begin}--config: the file ${folder}/nowhere.json5 does not exist. Create it, or remove the setting to use the built-in defaults.\n`,
    });
  });
});
