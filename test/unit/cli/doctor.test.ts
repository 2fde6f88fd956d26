import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { diskFinding } from "../../../src/cli/doctor/machine.ts";
import { type CliScene, cliScene } from "../../support/cli-scene.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serverWith(handler: RequestListener): Promise<number> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

async function findings(scene: CliScene): Promise<{ exitCode: number; bad: string[] }> {
  const { exitCode, out } = await scene.run("doctor", "--json");
  const all: { level: string; subject: string; message: string; fix: string | null }[] = JSON.parse(out).findings;
  const bad = all
    .filter((finding) => finding.level !== "ok")
    .map((finding) => `${finding.level} ${finding.subject}: ${finding.message} | ${finding.fix}`);
  return { exitCode, bad };
}

test("OP-5: a sound installation has nothing to fix", async () => {
  expect(await findings(cliScene({ http: { port: 0 } }))).toEqual({ exitCode: 0, bad: [] });
  const { out } = await cliScene({ http: { port: 0 } }).run("doctor");
  expect(out).toContain("ok    store:");
});

test("OP-5: faults of the configuration come with their remedy", async () => {
  const scene = cliScene();
  writeFileSync(join(scene.folder, "switchyard.json5"), "{ agnts: {} }");
  expect(await findings(scene)).toEqual({
    exitCode: 1,
    bad: ['error configuration: agnts: unknown key | Did you mean "agents"?'],
  });
});

test("OP-6: a taken port names the settings that change it", async () => {
  const port = await serverWith((_request, response) => response.end());
  const { exitCode, bad } = await findings(cliScene({ http: { port } }));
  expect(exitCode).toBe(1);
  expect(bad).toEqual([
    `error port: 127.0.0.1:${port} cannot be used: another program uses it | Choose another port with http.port, --port or SWITCHYARD_PORT. 0 picks any free port.`,
  ]);
});

test("OP-10: a damaged store is found", async () => {
  const scene = cliScene({ http: { port: 0 } });
  mkdirSync(join(scene.folder, "data"), { mode: 0o700 });
  writeFileSync(
    join(scene.folder, "data/switchyard.db"),
    "this is not a database, and long enough to be sure of it".repeat(100),
  );
  const { exitCode, bad } = await findings(scene);
  expect(exitCode).toBe(1);
  expect(bad[0]).toContain("is damaged or not a SQLite database | Stop Switchyard and restore a backup");
});

test("OP-5: a model provider that refuses the key, misses the model or does not answer", async () => {
  const port = await serverWith((request, response) => {
    const isKnown = request.headers.authorization === "Bearer right-key";
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(isKnown ? '{"data":[{"id":"small"}]}' : "{}");
  });
  const scene = (apiKey: string, model: string, at = port): CliScene =>
    cliScene({
      http: { port: 0 },
      models: { providers: { local: { type: "openai-compatible", baseUrl: `http://127.0.0.1:${at}/v1`, apiKey } } },
      agents: { defaults: { model } },
    });
  const bad = async (made: CliScene): Promise<string[]> =>
    (await findings(made)).bad.filter((line) => line.includes(" model provider "));
  expect(await bad(scene("right-key", "local/small"))).toEqual([]);
  expect(await bad(scene("wrong-key", "local/small"))).toEqual([
    `error model provider local: http://127.0.0.1:${port}/v1 rejects the key (401) | Fix models.providers.local.apiKey.`,
  ]);
  expect(await bad(scene("right-key", "local/large"))).toEqual([
    "warning model provider local: it does not list local/large | Available: small.",
  ]);
  expect(await bad(scene("right-key", "local/small", 9))).toEqual([
    expect.stringContaining("http://127.0.0.1:9/v1 does not answer"),
  ]);
});

test("FC-322: an address without /v1 is asked below it, as the calls are", async () => {
  const port = await serverWith((request, response) => {
    if (request.url !== "/v1/models") response.writeHead(404);
    response.end('{"data":[{"id":"small"}]}');
  });
  const scene = cliScene({
    http: { port: 0 },
    models: { providers: { local: { type: "openai-compatible", baseUrl: `http://127.0.0.1:${port}` } } },
    agents: { defaults: { model: "local/small" } },
  });
  const { out } = await scene.run("doctor", "--no-calls");
  expect(out).toContain(`ok    model provider local: http://127.0.0.1:${port} answers; used: small`);
});

test("OP-5: little room on the disk is a warning, hardly any an error", () => {
  expect(diskFinding(2_000 * 1_048_576, "/d").level).toBe("ok");
  expect(diskFinding(500 * 1_048_576, "/d").level).toBe("warning");
  expect(diskFinding(50 * 1_048_576, "/d")).toMatchObject({ level: "error", message: "50 MiB free in /d" });
});
