import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { chooseDefaultModel, hasModelKey, ollamaModels } from "../../../src/agent/providers/default-model.ts";
import { modelFacts } from "../../../src/core/model-facts.ts";
import type { ModelOverrides, ModelSettings } from "../../../src/core/settings.ts";

function settings(overrides: Record<string, ModelOverrides> = {}): ModelSettings {
  const models = new Map(Object.entries(overrides));
  return {
    providers: new Map([["p", { id: "p", type: "openai-compatible", baseUrl: null, apiKey: null, models }]]),
    aliases: new Map(),
  };
}

describe("OP-3 model facts", () => {
  test.each([
    ["gpt-5-mini", 400_000, true],
    ["openai/gpt-4.1", 1_047_576, true],
    ["claude-sonnet-4-5", 200_000, true],
    ["gemini-2.5-pro", 1_048_576, true],
    ["llama3.2", 128_000, false],
    ["something-new", 128_000, false],
  ])("OP-3: %s has a window of %i tokens", (model, contextTokens, images) => {
    expect(modelFacts(settings(), { provider: "p", model })).toEqual({ contextTokens, images, price: null });
  });

  test("OP-3: the configuration wins, field by field", () => {
    const price = { input: 1, output: 2 };
    const models = settings({ "gpt-5-mini": { contextTokens: 1000, images: null, price } });
    expect(modelFacts(models, { provider: "p", model: "gpt-5-mini" })).toEqual({
      contextTokens: 1000,
      images: true,
      price,
    });
  });
});

describe("OP-3 default model", () => {
  test.each([
    [{ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, ["llama3.2"], "openai/gpt-5-mini"],
    [{ ANTHROPIC_API_KEY: "k" }, ["llama3.2"], "anthropic/claude-sonnet-4-5"],
    [{ OPENAI_API_KEY: " " }, ["nomic-embed-text", "llama3.2"], "ollama/llama3.2"],
    [{}, ["nomic-embed-text"], "demo/switchyard"],
    [{}, [], "demo/switchyard"],
  ] as [Record<string, string>, string[], string][])(
    "OP-3: %j with Ollama models %j is %s",
    (env, models, expected) => {
      const { provider, model } = chooseDefaultModel({ env, ollamaModels: models });
      expect(`${provider}/${model}`).toBe(expected);
      expect(hasModelKey(env)).toBe(!/^(ollama|demo)/.test(expected));
    },
  );

  test("OP-3: asks an Ollama for its models", async () => {
    const server = createServer((request, response) => {
      response.end(
        request.url === "/api/tags" ? JSON.stringify({ models: [{ name: "llama3.2:latest" }, { name: "x" }] }) : "",
      );
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await ollamaModels({ port })).toEqual(["llama3.2:latest", "x"]);
    await new Promise((resolve) => server.close(resolve));
    expect(await ollamaModels({ port })).toEqual([]);
  });

  test("OP-3: something that listens but does not answer is given up after the limit", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await ollamaModels({ port, limitMs: 30 })).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
