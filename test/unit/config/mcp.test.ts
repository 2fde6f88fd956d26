// biome-ignore-all lint/suspicious/noTemplateCurlyInString: "${NAME}" is the configuration's own syntax.
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { testConfig, testSettings } from "../../support/test-settings.ts";
import { faultLines } from "./fault-lines.ts";

const files = { command: "npx", args: ["-y", "server"] };

describe("mcp.servers", () => {
  it("ST-42: a program to start and a server to reach, with their defaults; one that is off is left out", () => {
    const { mcp } = testSettings(
      {
        mcp: {
          servers: {
            files: { ...files, env: { API_KEY: "${KEY}" }, tools: ["read_*"] },
            web: {
              url: "https://tools.example.org/mcp",
              headers: { Authorization: "Bearer ${KEY}" },
              timeout: "5s",
              startTimeout: "40s",
            },
            off: { enabled: false, command: "${NOT_SET}" },
          },
        },
      },
      { env: { KEY: "the-value-of-it" }, baseDir: tmpdir() },
    );
    expect(mcp.servers).toEqual([
      {
        name: "files",
        transport: { kind: "stdio", ...files, env: { API_KEY: "the-value-of-it" }, cwd: tmpdir() },
        timeoutMs: 60_000,
        startMs: null,
        tools: ["read_*"],
      },
      {
        name: "web",
        transport: {
          kind: "http",
          url: "https://tools.example.org/mcp",
          headers: { Authorization: "Bearer the-value-of-it" },
        },
        timeoutMs: 5_000,
        startMs: 40_000,
        tools: null,
      },
    ]);
  });

  it.each([
    [{ files: {} }, "mcp.servers.files: has neither command nor url."],
    [{ files: { ...files, url: "http://127.0.0.1/mcp" } }, "mcp.servers.files: has both command and url."],
    [{ files: { ...files, headers: {} } }, "mcp.servers.files.headers: can only be used with url. Remove it."],
    [
      { web: { url: "http://127.0.0.1/mcp", env: {} } },
      "mcp.servers.web.env: can only be used with command. Remove it.",
    ],
    [{ web: { url: "tools" } }, "mcp.servers.web.url: is not a web address"],
    [{ a__b: files }, 'mcp.servers.a__b: "a__b" is not a valid server name'],
    [
      { files: { ...files, timeout: "soon" } },
      'mcp.servers.files.timeout: "soon" is not a valid time limit for a call.',
    ],
    [{ files: { ...files, arg: [] } }, 'mcp.servers.files.arg: unknown key. Did you mean "args"?'],
  ])("OP-2, ST-42: %j is refused with what to write", (servers, line) => {
    expect(faultLines({ mcp: { servers } })).toEqual([expect.stringContaining(line)]);
  });

  it("TP-2, ST-42: a server that no agent is given is a warning; names of its tools are none, others are", () => {
    const warnings = (tools: object) =>
      testConfig({ tools: { ...tools }, mcp: { servers: { files } } })
        .warnings.filter(({ path }) => path.startsWith("mcp") || path.startsWith("tools"))
        .map(({ path, problem }) => `${path}: ${problem}`);
    expect(warnings({})).toEqual(["mcp.servers.files: no agent can use its tools"]);
    for (const alsoAllow of [["files__*"], ["group:mcp"], ["files__read"], ["fil*"]])
      expect(warnings({ alsoAllow })).toEqual([]);
    expect(warnings({ profile: "full", deny: ["files__write"] })).toEqual([]);
    expect(warnings({ profile: "full", deny: ["fils__write"] })).toEqual([
      'tools.deny[0]: no tool is called "fils__write"',
    ]);
  });

  it("OP-7, ST-42: what a server is given in confidence is a secret, paths and plain words are none", () => {
    const { settings, warnings } = testConfig(
      {
        mcp: {
          servers: {
            files: {
              command: "npx",
              args: ["${HOME}/shared", "--key=${SERVICE_KEY}"],
              env: { MODE: "production", WHO: "${WHO}", API_TOKEN: "written-in-plain" },
            },
            web: { url: "http://127.0.0.1/${PATH_WORD}", headers: { Authorization: "Bearer ${BEARER}" } },
          },
        },
      },
      {
        env: {
          ...{ HOME: "/home/somebody", SERVICE_KEY: "service-key-1", WHO: "somebody-secret" },
          ...{ PATH_WORD: "ordinary", BEARER: "bearer-value-1" },
        },
      },
    );
    expect(new Set(settings.secrets)).toEqual(
      new Set(["service-key-1", "somebody-secret", "written-in-plain", "bearer-value-1", "Bearer bearer-value-1"]),
    );
    expect(warnings.map(({ path, remedy }) => [path, remedy])).toContainEqual([
      "mcp.servers.files.env.API_TOKEN",
      'Move it to the environment or .env, and write "${FILES_API_TOKEN}" here.',
    ]);
  });
});
