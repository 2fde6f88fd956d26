import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, say, toolCall } from "../support/emulators/model/index.ts";
import { everythingServer, isRunning, oddServer, until } from "../support/mcp/mcp-scene.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

const folder = mkdtempSync(join(tmpdir(), "swy-mcp-"));
const file = join(folder, "written");
const written = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const pids = (): readonly number[] => [...written().matchAll(/start (\d+)/g)].map((match) => Number(match[1]));

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(
      [
        /echo something$/,
        ({ results, request }) =>
          results.length === 0
            ? answer(toolCall("all__echo", { message: `of ${request.tools?.length} tools` }))
            : say(`It says: ${results.join()}`),
      ],
      [
        /hang$/,
        ({ results }) => (results.length === 0 ? answer(toolCall("odd__hang", {})) : say(`Then: ${results.join()}`)),
      ],
    ),
    config: {
      tools: { alsoAllow: ["group:mcp"] },
      mcp: { servers: { mute: oddServer("silent"), all: everythingServer(), odd: oddServer("plain", file) } },
    },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

const isReady = (name: string) =>
  bridge.process.logged((line) => line.mcp === name && line.msg.endsWith("is ready"), 30_000);

test("ST-42: a server that hangs at its start delays nothing; the tools of the others work in a turn", async () => {
  await Promise.all([isReady("all"), isReady("odd")]);
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("echo something");
  await dm.botSays({ matching: /It says: .*Echo: of \d+ tools/ });
  dm.says("/tools");
  await dm.botSays({ matching: /all__echo/ });
});

test("OP-5, ST-42: status shows every server", async () => {
  const status = await bridge.cli("status");
  expect(status.out).toMatch(/mute\s+starting/);
  expect(status.out).toMatch(/all\s+ready\s+.*\d+/);
});

test("TN-2, ST-42: a call that a crash cuts off is not made again but ends interrupted, and no server outlives the program", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("hang");
  await until(() => written().includes("hang begins"), "the call begins");
  const [first = 0] = pids();
  expect(isRunning(first)).toBe(true);
  await bridge.process.kill();
  await until(() => !isRunning(first), "the server sees the end of its input and leaves");
  await bridge.restart();
  await dm.botSays({ matching: /Then: .*"status":"interrupted"/ });
  await isReady("odd");
  expect(written().match(/hang begins/g)).toHaveLength(1);
  const [second = 0] = pids().slice(-1);
  expect(second).not.toBe(first);
  await bridge.process.stop();
  expect(isRunning(second)).toBe(false);
});
