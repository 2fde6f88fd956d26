import { describe, expect, test } from "vitest";
import { modelFacts } from "../../../src/core/models.ts";
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
