import type { ProviderType } from "../../src/core/settings.ts";
import { anthropicProtocol } from "../support/emulators/model/vendors/anthropic.ts";
import { googleProtocol } from "../support/emulators/model/vendors/google.ts";
import { openaiResponsesProtocol } from "../support/emulators/model/vendors/openai-responses.ts";
import type { VendorProtocol } from "../support/emulators/model/vendors/vendor-server.ts";
import { type ChatHabits, chatProtocol } from "./chat-stream.ts";
import {
  alternatingRoles,
  fewPictures,
  kimiReasoning,
  nineCharacterIds,
  noBlankText,
  noField,
  noKeywords,
  noLoneSurrogates,
  noMessageField,
  noPictures,
  noSchemasWithoutItems,
  noUserAfterResults,
  pairedCalls,
  perplexityRoles,
  type Rule,
  reasoningWithCalls,
  signedCalls,
  toolsWithCalls,
} from "./rules.ts";

/** One server as documented: how it is reached, what it refuses, how it answers. */
export interface Vendor {
  readonly name: string;
  readonly type: ProviderType;
  /** Its real address, by which Switchyard's table knows it. Nothing is sent there. */
  readonly address: string;
  readonly model: string;
  readonly path: string;
  readonly protocol: VendorProtocol;
  /** How a refusal is written. Default: as OpenAI does. */
  readonly errors?: "list";
  readonly rules: readonly Rule[];
  /** Where its rules and habits are described. */
  readonly source: string;
}

const strict = [pairedCalls, noLoneSurrogates, noSchemasWithoutItems];

function chat(vendor: {
  name: string;
  address: string;
  model: string;
  source: string;
  rules: readonly Rule[];
  habits?: ChatHabits;
  errors?: "list";
}): Vendor {
  return {
    ...vendor,
    type: "openai-compatible",
    path: "/v1",
    protocol: chatProtocol(vendor.habits ?? {}),
    rules: [...strict, ...vendor.rules],
  };
}

export const VENDORS: readonly Vendor[] = [
  {
    name: "OpenAI",
    type: "openai",
    address: "https://api.openai.com/v1",
    model: "gpt-5-mini",
    path: "/v1",
    protocol: openaiResponsesProtocol,
    rules: [noLoneSurrogates, noSchemasWithoutItems],
    source: "https://platform.openai.com/docs/api-reference/responses/create",
  },
  {
    name: "Anthropic",
    type: "anthropic",
    address: "https://api.anthropic.com/v1",
    model: "claude-sonnet-4-5",
    path: "/v1",
    protocol: anthropicProtocol,
    rules: [noLoneSurrogates],
    source: "https://docs.claude.com/en/api/messages",
  },
  {
    name: "Google",
    type: "google",
    address: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-2.5-flash",
    path: "/v1beta",
    protocol: googleProtocol,
    rules: [
      noLoneSurrogates,
      noKeywords(
        "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters'",
        "additionalProperties",
        "$ref",
        "const",
      ),
    ],
    source: "https://ai.google.dev/api/generate-content",
  },
  chat({
    name: "Mistral",
    address: "https://api.mistral.ai/v1",
    model: "mistral-large-latest",
    rules: [
      noUserAfterResults,
      nineCharacterIds,
      noMessageField("reasoning_content", "reasoning"),
      noField("stream_options"),
      fewPictures(8),
    ],
    habits: { reasoning: "parts" },
    source: "https://github.com/avante-corp/avante.nvim/pull/2695",
  }),
  chat({
    name: "DeepSeek",
    address: "https://api.deepseek.com/v1",
    model: "deepseek-v4-pro",
    rules: [reasoningWithCalls, noPictures("unknown variant `image_url`, expected `text`")],
    source: "https://api-docs.deepseek.com/guides/thinking_mode",
  }),
  chat({
    name: "Groq",
    address: "https://api.groq.com/openai/v1",
    model: "openai/gpt-oss-120b",
    rules: [noMessageField("reasoning_content"), fewPictures(5)],
    habits: { reasoning: "reasoning", usage: "x_groq" },
    source: "https://github.com/SimonSchubert/Kai/issues/265",
  }),
  chat({
    name: "Cerebras",
    address: "https://api.cerebras.ai/v1",
    model: "qwen-3.8-27b",
    rules: [
      noMessageField("reasoning_content"),
      noKeywords("Invalid schema: 'pattern' is not supported", "pattern", "maxLength"),
      noPictures("image content is not supported"),
    ],
    habits: { reasoning: "reasoning" },
    source: "https://github.com/QwenLM/qwen-code/issues/11045",
  }),
  chat({
    name: "xAI",
    address: "https://api.x.ai/v1",
    model: "grok-4",
    rules: [noField("reasoning_effort", "Model grok-4 does not support parameter reasoningEffort. reasoning_effort")],
    source: "https://docs.x.ai/docs/guides/reasoning",
  }),
  chat({
    name: "OpenRouter",
    address: "https://openrouter.ai/api/v1",
    model: "google/gemini-3-pro",
    rules: [noBlankText],
    habits: { reasoning: "details", comments: true },
    source: "https://openrouter.ai/docs/use-cases/reasoning-tokens",
  }),
  chat({
    name: "Gemini, OpenAI endpoint",
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    model: "gemini-3-pro-preview",
    rules: [signedCalls, noBlankText, noMessageField("reasoning_content")],
    habits: { signed: true },
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
  }),
  chat({
    name: "Gemini behind a gateway",
    address: "https://gateway.example/v1",
    model: "pro",
    rules: [signedCalls],
    habits: { signed: true },
    source: "https://github.com/theopenco/llmgateway/issues/1267",
  }),
  chat({
    name: "Kimi",
    address: "https://api.moonshot.ai/v1",
    model: "kimi-k2.5",
    rules: [kimiReasoning],
    source: "https://github.com/bytedance/deer-flow/issues/3043",
  }),
  chat({
    name: "Kimi behind a gateway",
    address: "https://gateway.example/v1",
    model: "k2",
    rules: [kimiReasoning],
    source: "https://github.com/QuantumNous/new-api/issues/3121",
  }),
  chat({
    name: "Perplexity",
    address: "https://api.perplexity.ai/v1",
    model: "sonar-pro",
    rules: [perplexityRoles, noField("tools", "Tool calling is not supported for this model")],
    source: "https://github.com/perplexityai/api-discussion/issues/265",
  }),
  chat({
    name: "Bedrock",
    address: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
    model: "anthropic.claude-sonnet-4-5",
    rules: [toolsWithCalls, noBlankText],
    source: "https://github.com/langgenius/dify/issues/16421",
  }),
  chat({
    name: "Workers AI",
    address: "https://api.cloudflare.com/client/v4/accounts/a/ai/v1",
    model: "@cf/qwen/qwen3.8-27b",
    rules: [noPictures("AiError: this model does not support image inputs")],
    errors: "list",
    source: "https://github.com/anomalyco/opencode/issues/46481",
  }),
  chat({
    name: "MiniMax",
    address: "https://api.minimax.io/v1",
    model: "MiniMax-M2",
    rules: [noBlankText, noPictures("the model does not accept image_url")],
    habits: { reasoning: "details" },
    source: "https://platform.minimax.io/docs/guides/text-m2-function-call",
  }),
  chat({
    name: "LiteLLM",
    address: "http://litellm:4000/v1",
    model: "bedrock-claude",
    rules: [
      noBlankText,
      noField("reasoning_effort", "UnsupportedParamsError: does not support parameters: ['reasoning_effort']"),
    ],
    habits: { usage: "none" },
    source: "https://docs.litellm.ai/docs/completion/drop_params",
  }),
  chat({
    name: "vLLM",
    address: "http://vllm:8000/v1",
    model: "Qwen/Qwen3-8B",
    rules: [
      noField("tools", '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      noPictures("At most 0 image(s) may be provided in one request."),
    ],
    source: "https://docs.vllm.ai/en/latest/features/tool_calling.html",
  }),
  chat({
    name: "SGLang",
    address: "http://sglang:30000/v1",
    model: "zai-org/GLM-4.5",
    rules: [alternatingRoles],
    habits: { usage: "text", index: "missing" },
    source: "https://docs.sglang.ai/advanced_features/tool_parser.html",
  }),
  chat({
    name: "llama.cpp",
    address: "http://127.0.0.1:8080/v1",
    model: "gemma-3",
    rules: [
      alternatingRoles,
      noKeywords("failed to parse grammar", "pattern", "maxLength", "format"),
      noPictures("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    ],
    habits: { finish: "none" },
    source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
  }),
  chat({
    name: "Ollama",
    address: "http://127.0.0.1:11434/v1",
    model: "llama3.2",
    rules: [
      noField("reasoning_effort", '"llama3.2" does not support thinking'),
      noPictures("this model is missing data required for image input"),
    ],
    habits: { reasoning: "reasoning", index: "zero" },
    source: "https://docs.ollama.com/api/openai-compatibility",
  }),
  chat({
    name: "LM Studio",
    address: "http://127.0.0.1:1234/v1",
    model: "qwen2.5-7b-instruct",
    rules: [noPictures("Model does not support images")],
    habits: { usage: "none", args: "object" },
    source: "https://lmstudio.ai/docs/developer/openai-compat",
  }),
];
