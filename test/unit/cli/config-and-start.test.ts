import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliScene } from "../../support/cli-scene.ts";

test("IN-6: config check prints the effective policy, one line per account", async () => {
  const at = cliScene();
  expect(await at.run("config", "check")).toEqual({
    exitCode: 0,
    out: `No problems found in ${join(at.folder, "switchyard.json5")}.\nweb/default: direct messages: everyone; groups: all, without a mention; bots: ignored`,
    err: "",
  });
});

test("OP-2: config check names every fault and exits with 1", async () => {
  const at = cliScene();
  writeFileSync(join(at.folder, "bad.json5"), "{ agnts: {}, http: { port: 99999 } }");
  const result = await at.run("config", "check", "--config", "bad.json5");
  expect(result.exitCode).toBe(1);
  expect(result.err).toBe(
    '2 problems found:\nhttp.port: must be at most 65535, but is 99999. Write a number that is at most 65535.\nagnts: unknown key. Did you mean "agents"?',
  );
  const json = await at.run("config", "check", "--config", "bad.json5", "--json");
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, faults: [{ path: "http.port" }, { path: "agnts" }] });
});

test("OP-1: start hands the configuration over, says who may write, and ends with the process's code", async () => {
  let port = -1;
  const at = cliScene({}, async ({ loaded }) => {
    port = loaded.settings.http.port;
    return { url: "http://127.0.0.1:1234", stopped: Promise.resolve(3) };
  });
  const result = await at.run("start", "--port", "0");
  expect(result.exitCode).toBe(3);
  expect(port).toBe(0);
  const lines = result.out.split("\n").map((line) => JSON.parse(line).msg);
  expect(lines).toEqual([
    `configuration: ${join(at.folder, "switchyard.json5")}`,
    "access: web/default: direct messages: everyone; groups: all, without a mention; bots: ignored",
    "Switchyard is ready: http://127.0.0.1:1234",
  ]);
});

test("OP-5: a failure shows no stack", async () => {
  const at = cliScene({}, async () => {
    throw new Error("the port is taken");
  });
  const result = await at.run("start");
  expect(result).toMatchObject({ exitCode: 1, err: "switchyard: the port is taken" });
});
