import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createAgentRunner } from "../../src/agent/providers/create-agent-runner.ts";
import type { ModelRequest, StepEvent } from "../../src/core/model.ts";
import type { ProviderSettings } from "../../src/core/settings.ts";
import { random } from "../concurrency/random.ts";
import { watchLoop } from "../support/loop-watch.ts";
import { type McpScene, mcpScene, until } from "../support/mcp/mcp-scene.ts";
import { VENDORS } from "../vendors/vendors.ts";
import { BLOCK_MS, type InputFuzzReport, repeated } from "./inputs.ts";
import { createMangler } from "./mcp-answers.ts";
import { type Json, mangled, mutated } from "./mutate.ts";

const ANSWER = {
  kind: "answer",
  thinking: { text: "Let me see.", signature: "c2ln" },
  deltas: ["The tide ", "is high."],
  calls: [{ id: "call_1", name: "look_up", args: { what: "tides", deep: [1, "two"] } }],
} as const;
/** What a mistake of ours in reading would say. */
const BROKEN = /Cannot read prop|is not (?:a function|iterable|an object)|Maximum call stack|undefined/;

/** Streams of every model server in the table: each ends with an answer or one stated failure, and holds up nothing. */
export async function fuzzModels(seed: number, inputs: number): Promise<InputFuzzReport> {
  let body = "";
  await using server = await listening((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const half = Math.floor(body.length / 2);
    response.write(body.slice(0, half));
    response.end(body.slice(half));
  });
  const providers = VENDORS.map((vendor): [string, ProviderSettings] => {
    const baseUrl = `${server.url}${vendor.path}`;
    return [vendor.name, { id: vendor.name, type: vendor.type, apiKey: "key", baseUrl, models: new Map() }];
  });
  const models = { providers: new Map(providers), aliases: new Map() };
  const runner = createAgentRunner({ models, clock: { now: () => 1_000 }, idleMs: 30_000 });
  let answers = 0;
  const report = await repeated(inputs, async (at) => {
    const chance = random("models", seed, at);
    const vendor = chance.pick(VENDORS);
    if (vendor === undefined) return "no server";
    const whole = vendor.protocol.render(ANSWER);
    body = chance.chance(0.5) ? mangled(whole, "models", seed, at) : mutatedStream(whole, seed, at);
    const request: ModelRequest = {
      model: { provider: vendor.name, model: vendor.model },
      system: "You are a test.",
      messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
      tools: [],
      thinking: null,
    };
    using watch = watchLoop();
    const ends: StepEvent[] = [];
    try {
      for await (const event of runner.step(request, new AbortController().signal)) {
        if (event.type === "done" || event.type === "failed") ends.push(event);
      }
    } catch (error) {
      return `${vendor.name}: it threw ${String(error)}`;
    }
    const [end] = ends;
    if (end === undefined || ends.length !== 1) return `${vendor.name}: ${ends.length} ends`;
    if (end.type === "failed" && BROKEN.test(end.error.message)) return `${vendor.name}: ${end.error.message}`;
    const ms = watch.longestMs();
    if (end.type === "done") answers += 1;
    return ms > BLOCK_MS ? `${vendor.name}: computed for ${Math.round(ms)} ms` : null;
  });
  // Most changes leave something to read.
  return answers > inputs / 4 ? report : { ...report, faults: [...report.faults, `only ${answers} answers were read`] };
}

/** One value in one event of the stream is another. */
function mutatedStream(stream: string, seed: number, at: number): string {
  const lines = stream.split("\n");
  const data = lines.flatMap((line, index) => (line.startsWith("data: {") ? [index] : []));
  const which = random("line", seed, at).pick(data) ?? 0;
  const value = JSON.parse(lines[which]?.slice(6) ?? "null") as Json;
  return lines.with(which, `data: ${JSON.stringify(mutated(value, "models", seed, at))}`).join("\n");
}

const MANGLING = fileURLToPath(new URL("./mangling-server.ts", import.meta.url));

/** An MCP server's answers over stdio and HTTP: every call ends, its result is bounded, and the next server that answers well is used. */
export async function fuzzMcp(seed: number, inputs: number): Promise<InputFuzzReport> {
  const answers = createMangler(seed);
  let requests = 0;
  await using server = await listening(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const sent = answers(JSON.parse(text) as { readonly id?: number; readonly method?: string });
    const [first] = sent;
    if (first === undefined) return void response.writeHead(202).end();
    requests += 1;
    // One that is not a stream has no second answer, so a call may have to end by its timeout.
    const isStream = sent.length > 2 || random("http", seed, requests).chance(0.5);
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? sent.map((one) => `data: ${one}\n\n`).join("") : first);
  });
  const servers = {
    stdio: { command: process.execPath, args: [MANGLING, String(seed)], timeout: 2_000 },
    http: { url: `${server.url}/mcp`, timeout: 500 },
  };
  await using scene = mcpScene(servers, { deps: { backoffMs: () => 10 } });
  await Promise.all([scene.ready("stdio"), scene.ready("http")]);
  // Awaited, or the server would be closed before its first call.
  return await repeated(inputs, async (input) => oneCall(scene, input % 2 === 0 ? "stdio" : "http"));
}

async function oneCall(scene: McpScene, name: "stdio" | "http"): Promise<string | null> {
  // Gone with a mangled list, and back with the next one or the next connection.
  await until(() => scene.names().includes(`${name}__echo`), `${name} offers its tool`);
  using watch = watchLoop();
  const result = await scene.call(`${name}__echo`);
  const ms = watch.longestMs();
  const said = JSON.stringify(result);
  if (said.length > 64 * 1024) return `${name}: a result of ${said.length} characters`;
  if (BROKEN.test(String(result.error ?? ""))) return `${name}: ${said.slice(0, 300)}`;
  return ms > BLOCK_MS ? `${name}: computed for ${Math.round(ms)} ms` : null;
}

async function listening(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
