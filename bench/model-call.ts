/**
 * What one model call costs in this process: processor time and wall time per call against the model emulator in a process
 * of its own. Run: `node bench/model-call.ts [calls]` (default 500). Figures and conclusion: docs/decisions/0002-model-calls.md.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { createAgentRunner } from "../src/agent/providers/create-agent-runner.ts";
import type { ModelMessage, ModelRequest, ModelTool } from "../src/core/model.ts";

const WORDS =
  "hello there, this is a normal message of a person in a chat and it has some twenty words so that it streams";
const calls = Number(process.argv[2] ?? 500);

const messages: ModelMessage[] = Array.from({ length: 21 }, (_unused, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  parts: [{ type: "text", text: WORDS }],
}));
const tools: ModelTool[] = Array.from({ length: 10 }, (_unused, at) => ({
  name: `tool_${at}`,
  description: "A tool that does something useful. ".repeat(7),
  parameters: { type: "object", properties: { a: { type: "string", description: "what" }, b: { type: "number" } } },
}));
const request: ModelRequest = {
  model: { provider: "bench", model: "m" },
  system: "x".repeat(4000),
  messages,
  tools,
  thinking: null,
};

/** The floor: the same bytes over node:http, parsed by hand. */
function bareCall(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const body = JSON.stringify({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: request.system },
      ...messages.map((message) => ({ role: message.role, content: WORDS })),
    ],
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const call = http.request(`${url}/chat/completions`, { method: "POST", headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.on("end", () => {
      for (const line of text.split("\n")) if (line.startsWith("data: {")) JSON.parse(line.slice(6));
      resolve();
    });
  });
  call.on("error", reject);
  call.end(body);
  return promise;
}

async function measure(name: string, once_: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await once_();
  const firstMs = performance.now() - start;
  for (let round = 0; round < 100; round++) await once_();
  const cpu = process.cpuUsage();
  const wall = performance.now();
  for (let round = 0; round < calls; round++) await once_();
  const used = process.cpuUsage(cpu);
  const figures = {
    name,
    firstCallMs: Math.round(firstMs),
    cpuMsPerCall: Number(((used.user + used.system) / 1000 / calls).toFixed(2)),
    wallMsPerCall: Number(((performance.now() - wall) / calls).toFixed(2)),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

const child = fork(new URL("../test/support/emulators/model/serve.ts", import.meta.url), {
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
if (child.stdout === null) throw new Error("the emulator has no output");
const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
const { url } = JSON.parse(line) as { url: string };

const runner = createAgentRunner({
  models: {
    providers: new Map([
      ["bench", { id: "bench", type: "openai-compatible", baseUrl: url, apiKey: "k", models: new Map() }],
      ["demo", { id: "demo", type: "demo", baseUrl: null, apiKey: null, models: new Map() }],
    ]),
    aliases: new Map(),
  },
  clock: Date,
  demoDelayMs: 0,
});
const signal = new AbortController().signal;

async function runnerCall(provider: string): Promise<void> {
  for await (const event of runner.step({ ...request, model: { provider, model: "m" } }, signal)) {
    if (event.type === "failed") throw event.error;
  }
}

for (const script of ["echo", "words"]) {
  child.send({ type: "script", name: script });
  await once(child, "message");
  await measure(`bare http, ${script}`, () => bareCall(url));
  await measure(`runner, openai-compatible, ${script}`, () => runnerCall("bench"));
}
await measure("runner, demo", () => runnerCall("demo"));
child.disconnect();
