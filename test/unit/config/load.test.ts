// biome-ignore-all lint/suspicious/noTemplateCurlyInString: "${NAME}" is the configuration's own syntax.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import JSON5 from "json5";
import { afterEach, expect, test } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { type LoadInput, loadConfig } from "../../../config/load/load.ts";
import { configJsonSchema } from "../../../config/load/schema.ts";
import { testCatalog, testConfig } from "../../support/test-settings.ts";

const configFolder = fileURLToPath(new URL("../../../config/", import.meta.url));
/** Nothing listens there: the discard port. */
const NO_OLLAMA = "http://127.0.0.1:9";
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "switchyard-load-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const input = (cwd: string, more: Partial<LoadInput> = {}): LoadInput => ({
  cwd,
  env: { HOME: cwd },
  catalog: testCatalog,
  ollamaUrl: NO_OLLAMA,
  ...more,
});

test("OP-2: without a file the defaults run: web page, one agent, a store under the working directory", async () => {
  const cwd = folder();
  const { settings, sourcePath } = await loadConfig(input(cwd));
  expect(sourcePath).toBeNull();
  expect(settings.store).toEqual({ url: `sqlite:${cwd}/data/switchyard.db`, dataDir: `${cwd}/data` });
  expect(settings.http).toEqual({ host: "127.0.0.1", port: 4180, token: null });
  expect(settings.accounts.map((account) => account.channel)).toEqual(["web"]);
  expect(settings.defaultAgentId).toBe("main");
});

test("OP-2: --config, then SWITCHYARD_CONFIG, then the working directory, then the home folder", async () => {
  const level = (name: string): string => `{ logging: { level: "${name}" } }`;
  const home = folder();
  mkdirSync(join(home, ".switchyard"));
  writeFileSync(join(home, ".switchyard", "switchyard.json5"), level("trace"));
  const cwd = folder({ "a.json5": level("debug"), "b.json5": level("warn"), "switchyard.json5": level("error") });
  const empty = folder();
  const levelOf = async (more: Partial<LoadInput>): Promise<string> =>
    (await loadConfig(input(cwd, more))).settings.logging.level;
  expect(await levelOf({ path: "a.json5", env: { HOME: home, SWITCHYARD_CONFIG: "b.json5" } })).toBe("debug");
  expect(await levelOf({ env: { HOME: home, SWITCHYARD_CONFIG: "b.json5" } })).toBe("warn");
  expect(await levelOf({ env: { HOME: home } })).toBe("error");
  expect(await levelOf({ env: { HOME: home }, cwd: empty })).toBe("trace");
});

test("OP-2: a file that was named and does not exist is a fault, never the defaults", async () => {
  const cwd = folder();
  await expect(loadConfig(input(cwd, { path: "none.json5" }))).rejects.toThrow(
    `--config: the file ${cwd}/none.json5 does not exist`,
  );
  const env = { HOME: cwd, SWITCHYARD_CONFIG: "none.json5" };
  await expect(loadConfig(input(cwd, { env }))).rejects.toThrow(
    `SWITCHYARD_CONFIG: the file ${cwd}/none.json5 does not exist`,
  );
});

test("OP-2: .env beside the file is read, and the real environment wins", async () => {
  const files = {
    "switchyard.json5": '{ http: { token: "${TOKEN_OF_MINE}" } }',
    ".env": "TOKEN_OF_MINE=from-the-file\n",
  };
  const cwd = folder(files);
  expect((await loadConfig(input(cwd))).settings.http.token).toBe("from-the-file");
  const env = { HOME: cwd, TOKEN_OF_MINE: "from-the-shell" };
  expect((await loadConfig(input(cwd, { env }))).settings.http.token).toBe("from-the-shell");
});

test("OP-6: --port wins over SWITCHYARD_PORT, and both over the file", async () => {
  const cwd = folder({ "switchyard.json5": "{ http: { port: 1 } }" });
  const env = { HOME: cwd, SWITCHYARD_PORT: "2" };
  expect((await loadConfig(input(cwd, { env }))).settings.http.port).toBe(2);
  expect((await loadConfig(input(cwd, { env, port: "0" }))).settings.http.port).toBe(0);
  await expect(loadConfig(input(cwd, { env, port: "99999" }))).rejects.toThrow(
    '--port: "99999" is not a port. Use a number from 0 to 65535. 0 picks any free port.',
  );
});

test("OP-3, FC-339: a key in the environment chooses the model, else an Ollama, else the demo", async () => {
  const cwd = folder();
  const modelOf = async (env: Record<string, string>, ollamaUrl = NO_OLLAMA): Promise<unknown> => {
    const { settings, warnings, notes } = await loadConfig(input(cwd, { env: { HOME: cwd, ...env }, ollamaUrl }));
    return {
      model: settings.agents.get("main")?.model,
      said: [...warnings, ...notes].map(({ problem }) => problem),
      warns: warnings.length > 0,
    };
  };
  expect(await modelOf({ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" })).toEqual({
    model: { provider: "openai", model: "gpt-5-mini" },
    said: ["OPENAI_API_KEY is set, so openai/gpt-5-mini is used"],
    warns: false,
  });
  expect(await modelOf({ ANTHROPIC_API_KEY: "sk-2" })).toMatchObject({
    model: { provider: "anthropic", model: "claude-sonnet-5" },
  });
  expect(await modelOf({})).toEqual({
    model: { provider: "demo", model: "switchyard" },
    said: ["no model or API key is configured, so the built-in demo model is used"],
    warns: true,
  });
  const ollama = createServer((_request, response) => response.end('{"models":[{"name":"llama3.2:latest"}]}')).listen(
    0,
    "127.0.0.1",
  );
  stops.push(() => ollama.close());
  await new Promise((resolve) => ollama.once("listening", resolve));
  const url = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}`;
  expect(await modelOf({}, url)).toMatchObject({ model: { provider: "ollama", model: "llama3.2:latest" } });
});

const EXAMPLE_ENV = {
  SWITCHYARD_TOKEN: "0123456789abcdef",
  OPENAI_API_KEY: "sk-openai",
  ANTHROPIC_API_KEY: "sk-anthropic",
  TELEGRAM_BOT_TOKEN: "1:abcdef",
  TELEGRAM_SECOND_TOKEN: "2:abcdef",
  DISCORD_TOKEN: "discord.first.token",
  DISCORD_SECOND_TOKEN: "discord.second.token",
  SLACK_BOT_TOKEN: "xoxb-1-abcdef",
  SLACK_APP_TOKEN: "xapp-1-abcdef",
  SLACK_SECOND_BOT_TOKEN: "xoxb-2-abcdef",
  SLACK_SECOND_APP_TOKEN: "xapp-2-abcdef",
};

test("OP-2: the project's own example loads without a warning", async () => {
  const { warnings, settings } = await loadConfig(
    input(folder(), { path: join(configFolder, "example.json5"), env: EXAMPLE_ENV }),
  );
  expect(warnings).toEqual([]);
  expect(settings.accounts.map((account) => `${account.channel}/${account.accountId}`)).toEqual([
    "web/default",
    "telegram/default",
    "telegram/second",
    "discord/default",
    "discord/second",
    "slack/default",
    "slack/second",
  ]);
});

test("OP-2: schema.json is current, and editors accept the example by it", () => {
  const schema: unknown = JSON.parse(readFileSync(join(configFolder, "schema.json"), "utf8"));
  expect(schema, "run: node config/generate-schema.ts").toEqual(JSON.parse(JSON.stringify(configJsonSchema(channels))));
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object);
  validate(JSON5.parse(readFileSync(join(configFolder, "example.json5"), "utf8")));
  expect(validate.errors).toBeNull();
  expect(validate({ http: { prot: 1 } })).toBe(false);
});

test("TN-19, OP-2: a cost limit names the models it counts nothing for", () => {
  const models = {
    providers: {
      own: {
        type: "openai-compatible",
        baseUrl: "http://127.0.0.1:1/v1",
        models: { priced: { price: { input: 1, output: 2 } } },
      },
    },
  };
  const warned = (model: string, cost: number) =>
    testConfig({ models, agents: { defaults: { model } }, limits: { daily: { cost } } }).warnings.filter(
      ({ path }) => path === "limits.daily.cost",
    );
  expect(warned("own/free", 5)).toMatchObject([{ problem: expect.stringContaining("own/free") }]);
  expect(warned("own/free", 0)).toEqual([]);
  expect(warned("own/priced", 5)).toEqual([]);
});
