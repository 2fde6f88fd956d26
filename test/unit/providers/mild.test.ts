import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { LearntModels } from "../../../src/agent/providers/create-agent-runner.ts";
import { createAgentRunner } from "../../../src/agent/providers/create-agent-runner.ts";
import type { ModelMessage, ModelRequest } from "../../../src/core/model.ts";
import { modelRefText } from "../../../src/core/models.ts";
import type { LearntQuirks } from "../../../src/core/quirks.ts";
import { collect, requestOf, tool, user } from "./runner-kit.ts";

type Body = Readonly<Record<string, unknown>>;

let server: Server | null = null;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

/** A chat completions server that refuses by rule; the steps of one runner that remembers. */
async function strictServer(refuse: (body: Body) => string | null) {
  const bodies: Body[] = [];
  const memory = new Map<string, LearntQuirks>();
  const learnt: LearntModels = {
    of: async (model) => memory.get(modelRefText(model)) ?? null,
    learn: async (model, quirks) => void memory.set(modelRefText(model), quirks),
  };
  server = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += String(chunk);
    const body = JSON.parse(text) as Body;
    bodies.push(body);
    const fault = refuse(body);
    if (fault !== null) return void response.writeHead(400).end(JSON.stringify({ error: { message: fault } }));
    const chunk = { choices: [{ index: 0, delta: { content: "well" }, finish_reason: "stop" }] };
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const runner = createAgentRunner({
    models: {
      providers: new Map([["p", { id: "p", type: "openai-compatible", baseUrl, apiKey: "k", models: new Map() }]]),
      aliases: new Map(),
    },
    clock: { now: () => 1_000_000 },
    learnt,
  });
  const last = async (request: Partial<ModelRequest>) => {
    const event = (await collect(runner.step(requestOf(request), new AbortController().signal))).at(-1);
    return event?.type === "failed" ? event.error.code : event?.type;
  };
  return { last, bodies, memory };
}

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0]);
const withPicture: ModelMessage = {
  role: "user",
  parts: [
    { type: "text", text: "look" },
    { type: "image", mime: "image/png", bytes: png },
  ],
};

describe("FC-301 the mild retry", () => {
  test.each([
    [
      "a thinking level",
      { thinking: "high" },
      (body: Body) => ("reasoning_effort" in body ? "unknown field reasoning_effort" : null),
    ],
    [
      "token counts in the stream",
      {},
      (body: Body) => ("stream_options" in body ? "stream_options: extra fields not permitted" : null),
    ],
    ["tools", { tools: [tool("t")] }, (body: Body) => ("tools" in body ? "this model does not support tools" : null)],
    [
      "one tool's schema",
      { tools: [tool("good"), tool("bad")] },
      (body: Body) => (JSON.stringify(body.tools ?? []).includes('"bad"') ? "Invalid schema for function 'bad'" : null),
    ],
    [
      "a picture",
      { messages: [withPicture] },
      (body: Body) => (JSON.stringify(body).includes("image_url") ? "image could not be processed" : null),
    ],
    ["a reason nobody knows", { thinking: "low" }, (body: Body) => ("reasoning_effort" in body ? "" : null)],
    [
      "a system message",
      {},
      (body: Body) => (JSON.stringify(body.messages).includes('"system"') ? "System role not supported" : null),
    ],
  ] as [string, Partial<ModelRequest>, (body: Body) => string | null][])(
    "FC-307: a server that refuses %s is asked once more without it, and from then on at once",
    async (_name, request, refuse) => {
      const { last, bodies, memory } = await strictServer(refuse);
      expect(await last(request)).toBe("done");
      expect(bodies).toHaveLength(2);
      expect(await last(request)).toBe("done");
      expect(bodies).toHaveLength(3);
      expect(memory.get("p/m-1")?.until).toBeGreaterThan(1_000_000);
    },
  );

  test("FC-307: a tool whose schema is refused costs that tool only", async () => {
    const { last, bodies } = await strictServer((body) =>
      JSON.stringify(body.tools).includes('"bad"') ? "Invalid schema for function 'bad'" : null,
    );
    await last({ tools: [tool("good"), tool("bad")] });
    expect(JSON.stringify(bodies[1]?.tools)).toContain('"good"');
  });

  test("FC-301: when nothing helps it fails as a refusal after a few requests", async () => {
    const { last, bodies, memory } = await strictServer(() => "no");
    expect(await last({ thinking: "low", tools: [tool("t")], messages: [user("a"), withPicture] })).toBe("bad_request");
    expect(bodies).toHaveLength(3);
    expect(memory.size).toBe(0);
  });

  test("FC-305: a refusal without a reason near the end of the window is a conversation that is too long", async () => {
    const { last, bodies } = await strictServer(() => "");
    expect(await last({ messages: [user("word ".repeat(90_000))] })).toBe("context_overflow");
    expect(bodies).toHaveLength(1);
  });
});
