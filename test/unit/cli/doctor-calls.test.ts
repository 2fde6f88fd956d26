import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkCalls } from "../../../src/cli/doctor/model-calls.ts";
import { cliScene } from "../../support/cli-scene.ts";
import type { VendorAnswer } from "../../support/emulators/model/vendors/vendor-server.ts";
import { testSettings } from "../../support/test-settings.ts";
import { chatProtocol } from "../../vendors/chat-stream.ts";
import { noKeywords, type Rule } from "../../vendors/rules.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const CALLS: VendorAnswer = { kind: "answer", call: { id: "call_1", name: "session_status", args: {} } };
const TALKS: VendorAnswer = { kind: "answer", deltas: ["I would call it."] };
const noTools: Rule = (body) => ("tools" in body ? "small does not support tools" : null);

interface Habit {
  readonly answer?: VendorAnswer;
  readonly rules?: readonly Rule[];
  readonly status?: number;
  readonly silent?: true;
}

/** A local model server of one habit. */
async function serve({
  answer = CALLS,
  rules = [],
  status,
  silent,
}: Habit): Promise<{ url: string; calls: () => number }> {
  let calls = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.url?.endsWith("/models") === true) return void response.end('{"data":[{"id":"small"}]}');
    calls += 1;
    if (silent) return;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const refused = rules.map((rule) => rule(body)).find((words) => words !== null);
    if (status !== undefined || refused !== undefined) {
      response.writeHead(status ?? 400, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ error: { message: refused ?? "out of memory" } }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).end(chatProtocol({}).render(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls: () => calls };
}

const config = (url: string, more: object = {}) => ({
  http: { port: 0 },
  models: { providers: { local: { type: "openai-compatible", baseUrl: url, ...more } } },
  agents: { defaults: { model: "local/small" } },
});

async function found(habit: Habit, { withinMs = 30_000, ...more }: { withinMs?: number; models?: object } = {}) {
  const { url } = await serve(habit);
  const check = checkCalls({ settings: testSettings(config(url, more)), clock: { now: () => Date.now() }, withinMs });
  return (await check("local", ["small"])).map(({ level, message, fix }) => `${level}: ${message} | ${fix}`);
}

const TIME = String.raw`\(\d+\.\d s, \d+ tokens in, \d+ out`;
const SLOW = /^error: a call was not answered within \d+ s \| A local server may still be loading/;

test.each<[string, Habit, RegExp[]]>([
  ["that calls the tool", {}, [new RegExp(`^ok: called a tool ${TIME}\\) \\| null$`)]],
  [
    "that only talks",
    { answer: TALKS },
    [new RegExp(`^warning: answered, but did not call the tool that it was asked to call ${TIME}\\) \\| Small models`)],
  ],
  [
    "that refuses a keyword of the schemas",
    {
      rules: [noKeywords("Invalid schema: 'minimum' is not supported", "minimum")],
    },
    [
      /^warning: local\/small refused a request \(.*minimum.*\)\. Switchyard now leaves out: details of tool arguments \| /,
      /^ok: called a tool/,
    ],
  ],
  [
    "without tools",
    { rules: [noTools], answer: TALKS },
    [
      /^warning: local\/small refused a request \(.*tools.*\)\. Switchyard now leaves out: .*tools \| /,
      /^warning: answered, but/,
    ],
  ],
  [
    "that breaks down",
    { status: 500 },
    [/^error: a call fails: .*out of memory.* \| Read the log of the model server/],
  ],
  ["that refuses the key for this model", { status: 401 }, [/^error: a call fails: .* \| Check `models\.providers/]],
])("FC-307: doctor calls a server %s", async (_what, habit, wanted) => {
  const lines = await found(habit);
  expect(lines).toHaveLength(wanted.length);
  for (const [at, pattern] of wanted.entries()) expect(lines[at]).toMatch(pattern);
});

test("FC-307: a server that never answers costs doctor a bounded time", async () => {
  expect(await found({ silent: true }, { withinMs: 300 })).toEqual([expect.stringMatching(SLOW)]);
});

test("FC-307: the cost is said where prices are configured", async () => {
  const models = { small: { price: { input: 1_000, output: 1_000 } } };
  expect(await found({}, { models })).toEqual([
    expect.stringMatching(/^ok: called a tool \(.* out, cost \d+\.\d{4}\)/),
  ]);
});

test("FC-307, OP-5: `doctor` makes one call with each model it uses, and none with --no-calls", async () => {
  const { url, calls } = await serve({});
  const scene = cliScene(config(url));
  expect((await scene.run("doctor")).out).toMatch(/^ok {4}model local\/small: called a tool/m);
  expect(calls()).toBe(1);
  expect((await scene.run("doctor", "--no-calls")).out).not.toContain("called a tool");
  expect(calls()).toBe(1);
});
