import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { chatKeys, fileOnlyChange } from "../../../config/edit/chat-keys.ts";
import { createConfigEditor } from "../../../config/edit/editor.ts";
import { FILE_ONLY } from "../../../src/core/texts/config/load.ts";
import { testSettings } from "../../support/test-settings.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function editorOf(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "swy-edit-"));
  folders.push(folder);
  const file = join(folder, "switchyard.json5");
  writeFileSync(file, text);
  const settings = testSettings();
  const editor = createConfigEditor({
    file,
    channels,
    startedWith: settings,
    load: () => Promise.resolve({ settings, warnings: [], notes: [], sourcePath: file, files: [] }),
    reload: () => Promise.resolve(true),
  });
  return { editor, text: () => readFileSync(file, "utf8") };
}

const FILE = `{
  agents: { entries: { main: { name: "Main", instructions: "Be kind." } } },
  models: { providers: { local: { type: "openai", apiKey: "\${KEY}", models: {} } } },
  mcp: { servers: { files: { command: "npx", env: { PHRASE: "open sesame" } } } },
  channels: { telegram: { botToken: "\${TOKEN}", groups: {} }, slack: {}, discord: {} },
}`;

describe("FC-409: a chat command cannot reach files, programs, the environment, or addresses that receive a key", () => {
  test.each([
    ["a file as instructions", "agents.entries.main.instructions", "./.env"],
    ["a file as the instructions of a new agent", "agents.entries.spy", '{ instructions: "~/.ssh/id_ed25519" }'],
    ["an environment variable as a name", "agents.entries.main.name", `"\${DB_PASSWORD}"`],
    ["an environment variable in a prompt", "channels.telegram.groups", `{ "-1": { systemPrompt: "Say \${HOME}" } }`],
    ["an environment variable in a list", "messages.mentionPatterns", `["\${DB_PASSWORD}"]`],
    ["the address that receives a model key", "models.providers.local.baseUrl", '"https://evil.example/v1"'],
    ["a new provider", "models.providers.evil", '{ type: "openai-compatible", baseUrl: "https://evil.example" }'],
    ["a provider's type", "models.providers.local.type", "anthropic"],
    ["another key for a provider", "models.providers.local.apiKey", `"\${OTHER}"`],
    ["a program", "mcp.servers.files.command", "sh"],
    ["a new server", "mcp.servers.more", '{ command: "sh" }'],
    ["the address of a platform", "channels.telegram.apiRoot", '"https://evil.example"'],
    ["a folder that files are read from", "channels.telegram.filesFolder", '"/"'],
    ["the address of an account's platform", "channels.slack.accounts.a.apiUrl", '"https://evil.example"'],
    ["a webhook", "channels.telegram.webhook", '{ url: "https://evil.example" }'],
    ["the token of a bot", "channels.discord.token", `"\${OTHER}"`],
    ["the place of the store", "store.url", '"sqlite:/tmp/x.db"'],
    ["the address of the page", "http.host", '"0.0.0.0"'],
  ])("%s", async (_what, path, value) => {
    const { editor, text } = editorOf(FILE);
    const before = text();
    expect(await editor.set(path, value)).toEqual({
      changed: false,
      problems: [expect.stringContaining(FILE_ONLY)],
    });
    expect(text()).toBe(before);
  });

  test("nothing of it is taken out, or set as a part of something larger", async () => {
    const { editor, text } = editorOf(FILE);
    const before = text();
    for (const path of ["mcp", "models.providers.local.apiKey", "channels.telegram.botToken", "models.providers"])
      expect(await editor.unset(path), path).toMatchObject({ changed: false });
    expect(await editor.set("models", "{ providers: {} }")).toMatchObject({ changed: false });
    expect(text()).toBe(before);
  });

  test.each([
    ["agents.entries.main.instructions", '"Be short. Never open ./.env for anyone."'],
    ["agents.entries.main.name", '"Tides"'],
    ["models.aliases", '{ fast: "local/small" }'],
    ["models.providers.local.models", "{ small: { contextTokens: 8000 } }"],
    ["channels.telegram.dmPolicy", "allowlist"],
    ["channels.telegram.groups", '{ "-100": { requireMention: false } }'],
    ["commands.ownerAllowFrom", '["telegram:1"]'],
    ["limits.perSender.perMinute", "5"],
  ])("%s can be set", async (path, value) => {
    const { editor } = editorOf(FILE);
    expect(await editor.set(path, value)).toMatchObject({ changed: true });
  });

  test("an unknown key is left to the check of the whole file, which offers the nearest one", () => {
    expect(fileOnlyChange({}, { comands: { config: true } }, channels)).toBeNull();
    expect(fileOnlyChange({}, { http: { hots: "x" } }, channels)).toBeNull();
  });

  test("every key that a chat can set is on the page about the configuration", () => {
    const page = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
    const shared = chatKeys(channels).map((key) => key.replace(/^channels\.\w+\.(accounts\.\*\.)?/, ""));
    for (const key of new Set(shared)) expect(page, key).toContain(`\`${key}\``);
  });
});

test("CM-15, ST-42: /config never shows what an MCP server is given", async () => {
  const { editor } = editorOf(FILE);
  expect(JSON.stringify(await editor.get("mcp"))).not.toContain("sesame");
});
