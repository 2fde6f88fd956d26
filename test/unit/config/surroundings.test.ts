import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { defaultModel, withEnvFiles } from "../../../config/load/environment.ts";
import { parseText } from "../../../config/load/parse.ts";
import { proxyInvalid } from "../../../src/core/texts/cli/answers.ts";
import { runSwitchyard } from "../../support/run-switchyard.ts";
import { testConfig } from "../../support/test-settings.ts";
import { faultLines, linesOf } from "./fault-lines.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "swy-env-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const FIX =
  'Set the environment variable TZ to a name such as "Europe/Vienna" or "UTC", or set agents.defaults.userTimezone.';

describe("FC-320: the time zone of the environment", () => {
  test.each([
    ["", "the environment variable is empty"],
    ["UTC+2", '"UTC+2" is not the name of a time zone'],
    ["CET-1CEST", '"CET-1CEST" is not the name of a time zone'],
    ["Nowhere/X", '"Nowhere/X" is not the name of a time zone'],
    [" ", '" " is not the name of a time zone'],
  ])("TZ=%j is a fault that says how to fix it", (TZ, problem) => {
    expect(faultLines({}, { env: { TZ } })).toEqual([`TZ: ${problem}. ${FIX}`]);
  });

  test.each(["Europe/Vienna", ":Europe/Vienna", "UTC", "EST5EDT"])("TZ=%j is used as it is", (TZ) => {
    const { settings } = testConfig({}, { env: { TZ } });
    expect(settings.agents.get("main")?.userTimezone).toBe(TZ.replace(":", ""));
  });

  test("an agent with a zone of its own does not ask the environment", () => {
    const tree = { agents: { defaults: { userTimezone: "Europe/Vienna" } } };
    expect(faultLines(tree, { env: { TZ: "UTC+2" } })).toEqual([]);
  });

  test("the real program refuses to start with it, and doctor names it with the fix", { timeout: 60_000 }, async () => {
    const folder = folderWith({ "switchyard.json5": '{ agents: { defaults: { model: "demo/switchyard" } } }' });
    const [start, doctor] = await Promise.all([
      runSwitchyard(folder, ["start", "--port", "0"], { TZ: "UTC+2" }),
      runSwitchyard(folder, ["doctor"], { TZ: "" }),
    ]);
    expect(start).toMatchObject({
      code: 1,
      err: expect.stringContaining('TZ: "UTC+2" is not the name of a time zone.'),
    });
    expect(doctor.code).toBe(1);
    expect(doctor.out).toBe(`FAIL  configuration: TZ: the environment variable is empty\n      ${FIX}\n`);
  });
});

test.each(["", "C", "xx_YY.UTF-8", "tr_TR.UTF-8", "ar_EG@x", "äöü"])(
  "FC-320: with LC_ALL=%j times, numbers and commands are what they always are",
  (locale) => {
    const time = new URL("../../../src/core/time.ts", import.meta.url).href;
    const code = `import { createLocalTime } from ${JSON.stringify(time)};
      console.log(createLocalTime().minute(0, "UTC"), (1234).toLocaleString("en-US"), "TITLE".toLowerCase());`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      env: { LC_ALL: locale, LANG: locale },
      encoding: "utf8",
    });
    expect(stdout).toBe("1970-01-01 00:00 1,234 title\n");
  },
);

describe("FC-331: a key that is set twice", () => {
  test("is an error that names both places, for every such key of the file", () => {
    const text = `{
  channels: { telegram: {} },
  agents: { defaults: { model: "a/b", "model": "c/d" } },
  // pasted from the page about Slack
  channels: { slack: {} },
}`;
    expect(linesOf(() => parseText(text, "/x/switchyard.json5"))).toEqual([
      "agents.defaults.model: is set twice: line 3, column 25 and line 3, column 39. Merge them into one: only the last one would be used.",
      "channels: is set twice: line 2, column 3 and line 5, column 3. Merge them into one: only the last one would be used.",
    ]);
  });

  test.each([
    ["in quotes of either kind", `{ a: 1, "a": 2, 'a': 3 }`, "a: is set 3 times"],
    ["with an escape", String.raw`{ "\u0061": 1, \u0061: 2 }`, "a: is set twice"],
    ["inside a list", "{ bindings: [{}, { x: 1, x: 2 }] }", "bindings[1].x: is set twice"],
    ["behind comments and strings that look like keys", '{ /* a: 1 */ a: "b: 1, b: 2", a: 2 }', "a: is set twice"],
  ])("%s", (_how, text, line) => {
    expect(linesOf(() => parseText(text, "x"))[0]).toContain(line);
  });

  test("the same key in different sections is none", () => {
    expect(parseText("{ a: { x: 1 }, b: { x: 1 }, c: [{ x: 1 }, { x: 1 }] }", "x")).toHaveProperty("c");
  });
});

describe("FC-322: what a set-up brings", () => {
  test("a byte order mark in .env does not lose its first variable, and an empty variable does not hide the file's", () => {
    const folder = folderWith({ ".env": "\uFEFFFIRST=one\nSECOND=two\n" });
    const read = withEnvFiles({ SECOND: "", THIRD: "", FIRST: undefined }, { cwd: folder, configPath: null });
    expect(read).toMatchObject({ FIRST: "one", SECOND: "two", THIRD: "" });
    expect(withEnvFiles({ SECOND: "real" }, { cwd: folder, configPath: null }).SECOND).toBe("real");
  });

  test("a folder called .env is not read, and a .env that cannot be read is named", () => {
    const folder = folderWith({});
    mkdirSync(join(folder, ".env"));
    expect(withEnvFiles({ FIRST: "one" }, { cwd: folder, configPath: null })).toEqual({ FIRST: "one" });
    const looped = folderWith({});
    symlinkSync(".env", join(looped, ".env"));
    expect(linesOf(() => withEnvFiles({}, { cwd: looped, configPath: null }))).toEqual([
      expect.stringContaining("ELOOP"),
    ]);
  });

  test("an Ollama whose first model makes embeddings answers with its first model that can chat", async () => {
    const models = [
      { name: "nomic-embed-text:latest", details: { family: "nomic-bert", families: ["nomic-bert"] } },
      { name: "all-minilm:22m" },
      { name: "mistral:7b", details: { family: "llama", families: null } },
    ];
    const server = createServer((_request, response) => response.end(JSON.stringify({ models })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect((await defaultModel({}, `http://127.0.0.1:${port}`)).model).toBe("ollama/mistral:7b");
    } finally {
      server.close();
    }
  });

  test.each([
    ["a line break", "sk-abc123456\n"],
    ["quotes", '"sk-abc123456"'],
    ["typographic space and a zero width space", "\u00A0sk-abc\u200B123456"],
    ["a byte order mark", "\uFEFFsk-abc123456"],
    ["a line break in the middle", "sk-abc\r\n123456"],
    ["quotes and a line break", "'sk-abc123456'\r\n"],
  ])("a pasted key with %s is the key", (_what, pasted) => {
    const provider = { type: "openai", apiKey: "$".concat("{KEY}") };
    const tree = {
      agents: { defaults: { model: "openai/m" } },
      models: { providers: { openai: provider, other: { type: "openai", apiKey: pasted } } },
    };
    const { settings } = testConfig(tree, { env: { KEY: pasted } });
    for (const id of ["openai", "other"]) expect(settings.models.providers.get(id)?.apiKey).toBe("sk-abc123456");
    expect(settings.secrets).toContain("sk-abc123456");
  });

  test("HTTP_PROXY carries the calls, NO_PROXY and this machine are reached directly, a bad one is named", {
    timeout: 60_000,
  }, async () => {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(502).end();
    });
    proxy.on("connect", (request, socket) => {
      seen.push(request.url ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const provider = (baseUrl: string) => ({ type: "openai-compatible", baseUrl });
    const folder = folderWith({
      "switchyard.json5": JSON.stringify({
        models: {
          providers: {
            a: provider("http://away.invalid/v1"),
            b: provider("http://near.invalid/v1"),
            c: provider("http://127.0.0.1:9/v1"),
          },
        },
        agents: { defaults: { model: "a/m", fallbacks: ["b/m", "c/m"] } },
      }),
    });
    try {
      await runSwitchyard(folder, ["doctor"], { HTTP_PROXY: address, NO_PROXY: "near.invalid" });
      expect(seen.length).toBeGreaterThan(0);
      for (const url of seen) expect(url).toContain("away.invalid");
      const bad = await runSwitchyard(folder, ["doctor"], { HTTPS_PROXY: "proxy:3128" });
      expect(bad.err).toContain(proxyInvalid("HTTPS_PROXY"));
    } finally {
      proxy.close();
    }
  });
});
