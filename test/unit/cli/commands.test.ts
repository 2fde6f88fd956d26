import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createMediaStore } from "../../../src/bridge/media-store.ts";
import type { NewDelivery } from "../../../src/core/delivery/delivery.ts";
import { asSessionKey, type SessionKey } from "../../../src/core/session/session-key.ts";
import { openConversation } from "../../../src/store/steps/inbound/conversation-open.ts";
import { type CliScene, cliScene } from "../../support/cli-scene.ts";
import { seedDelivery, seedLostResult, seedPairing, seedSession } from "../../support/store-seeds.ts";

const route = { channel: "telegram", accountId: "default", to: "111", threadId: null };
const KEY = keyOf("agent:main:telegram:direct:111");
const scenes: CliScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close();
});

function keyOf(text: string): SessionKey {
  const key = asSessionKey(text);
  if (key === null) throw new Error(`not a key: ${text}`);
  return key;
}

function scene(config: object = {}): CliScene {
  const made = cliScene({ http: { token: "configured-secret-1" }, ...config });
  scenes.push(made);
  return made;
}

function delivery(key: string): NewDelivery {
  const piece = { rich: "<b>Hello</b>", plain: "Hello" };
  return { key, route, content: { kind: "message", piece, replyTo: null, private: false } };
}

test("OP-10: forget asks for --yes, needs the process, and says what went and what the configuration still names", async () => {
  const at = scene({ commands: { ownerAllowFrom: ["telegram:111"] } });
  expect((await at.run("forget", "111", "--yes")).err).toContain("is not a valid user");
  expect((await at.run("forget", "telegram:111")).err).toContain("To confirm, run");
  expect((await at.run("forget", "telegram:111", "--yes")).err).toContain("Switchyard is not running");
  const store = await at.serve();
  await store.step(seedSession, { key: KEY, route, text: "My name is Ann." });
  const done = await at.run("forget", "telegram:111", "--yes");
  expect(done.out).toMatch(/^Deleted the data of telegram:111: 1 message in transcripts replaced,/);
  expect(done.out).toContain("The configuration still contains this person: commands.ownerAllowFrom.");
  const history = await at.run("history", KEY);
  expect(history.out).toContain("(This message was removed.)");
  expect(history.out).not.toMatch(/Ann|My name/);
  expect((await at.run("forget", "telegram:111", "--yes")).out).toMatch(/^Nothing is stored about telegram:111\./);
});

describe("OP-5: without a process, reads look into its store", () => {
  test("before the first start there is no store, and it says how to make one", async () => {
    const result = await scene().run("status");
    expect(result.exitCode).toBe(1);
    expect(result.err).toMatch(
      /^switchyard: there is no store at .*switchyard\.db yet\nStart Switchyard once: switchyard start$/,
    );
  });

  test("sessions, history and status are read, with a note that no process runs", async () => {
    const at = scene();
    await at.withStore(async (store) => {
      await store.step(seedSession, { key: KEY, route, text: "My token is configured-secret-1." });
    });
    at.clock.advance(120_000);
    const sessions = await at.run("sessions");
    expect(sessions.out).toBe(
      "session                         state  used   tokens  name\nagent:main:telegram:direct:111  idle   2 min  0",
    );
    expect(sessions.err).toBe("Switchyard is not running. This is what its store contains.");
    const status = await at.run("status");
    expect(status.out).toContain("web/default  not running");
    expect(status.out).toContain("1 session\n");
    expect((await at.run("sessions", "nothing")).out).toBe('No session matches "nothing".');
    expect((await at.run("sessions", "100%")).out).toBe('No session matches "100%".');
  });

  test("a session of the chat page is listed by its conversation's title, until it has a name", async () => {
    const at = scene();
    const place = { channel: "web", accountId: "default", to: "kitchen", threadId: "t1" };
    const key = keyOf("agent:main:web:channel:kitchen:thread:t1");
    await at.withStore(async (store) => {
      await store.step(openConversation, { ...place, title: "What to cook" });
      await store.step(seedSession, { key, route: place, text: "Soup?" });
    });
    expect((await at.run("sessions")).out).toMatch(/thread:t1 .*"What to cook"$/);
    expect(JSON.parse((await at.run("sessions", "--json")).out)).toMatchObject([{ key, title: "What to cook" }]);
  });

  test("ST-7: export masks secrets, and --raw gives the stored rows verbatim into a file of mode 0600", async () => {
    const at = scene();
    await at.withStore(async (store) => {
      await store.step(seedSession, { key: KEY, route, text: "My token is configured-secret-1." });
    });
    const shown = await at.run("export", KEY);
    expect(shown.out).toContain("> My token is [redacted");
    expect(shown.out).not.toContain("configured-secret-1");
    const out = join(at.folder, "raw.jsonl");
    expect((await at.run("export", KEY, "--raw", "--out", out)).out).toBe(`Exported 2 messages to ${out}.`);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readFileSync(out, "utf8")).toContain("configured-secret-1");
    expect((await at.run("export", KEY, "--out", out)).err).toContain("already exists");
    expect((await at.run("export", "agent:main:nothing")).exitCode).toBe(1);
  });

  test("FC-236, SK-6: main is the default agent's main session, also before anybody wrote there", async () => {
    const at = scene();
    const key = keyOf("agent:main:main");
    await at.withStore(async () => undefined);
    expect(await at.run("history", "main")).toMatchObject({ exitCode: 0, out: expect.stringContaining(key) });
    await at.withStore(async (store) => {
      await store.step(seedSession, { key, route: null, text: "Good morning." });
    });
    expect((await at.run("history", "main")).out).toMatch(/^agent:main:main\n[\s\S]*Good morning\./);
  });

  test("history names who wrote what, and masks secrets", async () => {
    const at = scene();
    let sessionId = "";
    await at.withStore(async (store) => {
      sessionId = await store.step(seedSession, { key: KEY, route, text: "My token is configured-secret-1." });
    });
    for (const reference of [KEY, sessionId]) {
      expect((await at.run("history", reference)).out).toBe(
        `${KEY}\n\n2027-01-01T00:00:00.000Z  Ann\n    My token is [redacted:secret].\n\n2027-01-01T00:00:00.000Z  main\n    Let me look.\n    [call sessions_list {"limit":1}]`,
      );
    }
    const unknown = await at.run("history", "agent:main:telegram:direct:112");
    expect(unknown).toMatchObject({ exitCode: 1, out: "" });
    expect(unknown.err.split("\n").slice(1)).toEqual([
      'switchyard: there is no session "agent:main:telegram:direct:112"',
      `Did you mean ${KEY}?`,
    ]);
  });

  test("what changes something says that no process runs and how to start it", async () => {
    const at = scene();
    await at.withStore(async () => undefined);
    for (const args of [
      ["send", KEY, "hi"],
      ["deliveries", "retry", "1"],
      ["pairing", "approve", "telegram", "ABCD2345"],
    ]) {
      const result = await at.run(...args, "--config", "switchyard.json5");
      expect(result.exitCode).toBe(1);
      expect(result.err).toBe(
        `switchyard: Switchyard is not running on ${join(at.folder, "data")}, and this command needs it\nStart it: switchyard start --config switchyard.json5`,
      );
    }
  });
});

describe("OP-5: with a process, the command line speaks to it", () => {
  test("status shows the process and the health of its accounts", async () => {
    const at = scene();
    await at.serve();
    const { out, err } = await at.run("status");
    expect(out).toContain("Switchyard 0.0.0-test is running as process 4711 for 1 h, page at http://127.0.0.1:4180.");
    expect(out).toContain("web/default  ready  1 min  5 s      never");
    expect(err).toBe("");
    const json = JSON.parse((await at.run("status", "--json")).out);
    expect(json).toMatchObject({
      process: { pid: 4711 },
      counts: { sessions: 0 },
      accounts: [{ health: { state: "ready" } }],
    });
  });

  test("TN-15: send goes to the session's last route, or nowhere outside, and says which", async () => {
    const at = scene();
    const store = await at.serve();
    await store.step(seedSession, { key: KEY, route, text: "hi" });
    expect((await at.run("send", KEY, "hello")).out).toBe(`Sent. The reply of ${KEY} goes to telegram/default, 111.`);
    expect((await at.run("send", "agent:main:main", "hello", "there")).out).toBe(
      "Sent. agent:main:main has no conversation on a platform. Read the reply with: switchyard history agent:main:main",
    );
    const unknown = await at.run("send", "agent:main:man", "hello");
    expect(unknown.exitCode).toBe(1);
    expect(unknown.err).toBe('switchyard: there is no session "agent:main:man"\nDid you mean agent:main:main?');
  });

  test("DL-13: lost deliveries are listed, sent again and dismissed; a sent one is not touched", async () => {
    const at = scene();
    const store = await at.serve();
    const lost = await store.step(seedDelivery, { delivery: delivery("a"), state: "failed", reason: "bot was kicked" });
    const sent = await store.step(seedDelivery, { delivery: delivery("b"), state: "sent", reason: null });
    expect((await at.run("deliveries", "--failed")).out).toBe(
      `id  state   age  to                    tries  reason or text\n${lost}   failed  0 s  telegram/default 111  0      bot was kicked`,
    );
    expect((await at.run("deliveries", "retry", String(sent))).err).toBe(
      `switchyard: delivery ${sent} is sent, so there is nothing to retry`,
    );
    expect((await at.run("deliveries", "retry", String(lost))).out).toBe(`Retrying delivery ${lost}.`);
    expect((await at.run("deliveries", "dismiss", String(lost), "--json")).out).toBe(
      `{\n  "id": ${lost},\n  "result": "done"\n}`,
    );
    expect(await at.run("deliveries", "retry", "99")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("there is no delivery 99"),
    });
  });

  test("CP-2: a result that could not be worked on is listed and handed over again by its run", async () => {
    const at = scene();
    const store = await at.serve();
    expect((await at.run("deliveries", "results")).out).toBe("No results were lost.");
    const runId = "00000000-0000-4000-8000-000000000001";
    await store.step(seedLostResult, { requester: KEY, runId });
    expect((await at.run("deliveries", "results")).out).toMatch(
      new RegExp(`^run .*\\n${runId}  0 s  "news"  ${KEY}  the model failed$`),
    );
    expect((await at.run("deliveries", "retry", runId)).out).toBe(`Retrying the result of run ${runId}.`);
    expect((await at.run("deliveries", "retry", runId)).err).toContain("is owed, so there is nothing to retry");
    expect((await at.run("deliveries", "retry", runId.replace("1", "2"))).err).toContain("there is no result of run");
  });

  test("IN-5: approving lets a person in, and says how to make an owner while there is none", async () => {
    const at = scene();
    const store = await at.serve();
    await store.step(seedPairing, "ABCD2345");
    expect((await at.run("pairing", "list")).out).toContain('telegram/default  ABCD2345  222  0 s  "Bob"');
    expect((await at.run("pairing", "approve", "telegram", "abcd-2345")).out).toBe(
      'Approved: telegram:222 (name: "Bob") can now write to telegram/default.\nThere is no owner yet. To make this person an owner, add "telegram:222" to commands.ownerAllowFrom.',
    );
    expect((await at.run("pairing", "approve", "telegram", "ABCD2345")).err).toContain(
      "no pending request on telegram has the code ABCD2345",
    );
    await store.step(seedPairing, "EFGH2345");
    expect((await at.run("pairing", "approve", "telegram", "EFGH2345", "--owner")).out).toBe(
      'Approved as an owner: telegram:222 (name: "Bob") can now write to telegram/default.',
    );
    await store.step(seedPairing, "JKLM2345");
    expect((await at.run("pairing", "deny", "telegram", "JKLM2345")).out).toBe('Denied: telegram:222 (name: "Bob").');
  });
});

describe("OP-10: the store", () => {
  test("backup copies it while a process runs, readable by its user only, and never over a file", async () => {
    const at = scene();
    await at.serve();
    const first = await at.run("db", "backup", "copy.db");
    expect(first.out).toBe(`Backed up to ${join(at.folder, "copy.db")}. There are no attachments.`);
    expect(statSync(join(at.folder, "copy.db")).mode & 0o777).toBe(0o600);
    expect(await at.run("db", "backup", "copy.db")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("already exists"),
    });
    expect((await at.run("db", "backup")).out).toContain(
      join("data", "backups", "switchyard-2027-01-01T00-00-00-000Z.db"),
    );
  });

  test("FC-332: a backup is whole: the attachments are copied with it, and nothing half written", async () => {
    const at = scene();
    await at.serve();
    const media = createMediaStore({ dataDir: join(at.folder, "data"), maxBytes: 1_000 });
    const kept = await media.put(Buffer.from("a picture"), { name: "cat.png", mime: "image/png" });
    writeFileSync(join(at.folder, "data/media", ".half-written"), "a pic");
    const made = await at.run("db", "backup", "copy.db");
    expect(made.out).toBe(
      `Backed up to ${join(at.folder, "copy.db")}, with 1 attachment in ${join(at.folder, "copy.media")}.`,
    );
    expect(readdirSync(join(at.folder, "copy.media"))).toEqual([kept.sha256]);
    const restored = createMediaStore({ dataDir: join(at.folder, "elsewhere"), maxBytes: 1_000 });
    cpSync(join(at.folder, "copy.media"), join(at.folder, "elsewhere/media"), { recursive: true });
    expect((await restored.get(kept.sha256))?.toString()).toBe("a picture");
    expect(statSync(join(at.folder, "copy.media")).mode & 0o777).toBe(0o700);
    rmSync(join(at.folder, "copy.db"));
    expect((await at.run("db", "backup", "copy.db")).err).toContain("copy.media already exists");
  });

  test("migrate makes the schema, and is refused while a process runs", async () => {
    const at = scene();
    expect((await at.run("db", "migrate")).exitCode).toBe(0);
    expect(existsSync(join(at.folder, "data/switchyard.db"))).toBe(true);
    await at.serve();
    expect((await at.run("db", "migrate")).err).toContain("Switchyard is running on this store");
  });
});

describe("OP-5: exit codes", () => {
  test("2 and a hint for what is not understood, 0 for help and the version", async () => {
    const at = scene();
    expect(await at.run("sesions")).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("Did you mean sessions?"),
    });
    expect(await at.run("deliveries", "retry", "x")).toMatchObject({ exitCode: 2 });
    expect(await at.run("sessions", "--limit", "0")).toMatchObject({ exitCode: 2 });
    expect(await at.run("--version")).toMatchObject({ exitCode: 0, out: "0.0.0-test" });
    expect(await at.run("--help")).toMatchObject({ exitCode: 0, out: expect.stringContaining("config") });
  });

  test("--json gives failures as data", async () => {
    const result = await scene().run("status", "--json");
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({
      error: { code: "failed", remedy: "Start Switchyard once: switchyard start" },
    });
  });

  test.each([
    ["an unknown command", ["sesions"], /^unknown command 'sesions'/],
    ["a missing argument", ["history"], /^missing required argument 'session'/],
    ["a value of the wrong form", ["deliveries", "show", "x"], /Use a number/],
    ["a group without its command", ["pairing"], /^a command is missing$/],
  ])("--json gives %s as data, too, and nothing beside it", async (_what, args, message) => {
    const result = await scene().run(...args, "--json");
    expect(result).toMatchObject({ exitCode: 2, err: "" });
    expect(JSON.parse(result.out)).toMatchObject({
      error: { code: "usage", message: expect.stringMatching(message), remedy: expect.stringContaining("--help") },
    });
  });
});
