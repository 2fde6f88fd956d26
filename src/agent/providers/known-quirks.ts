import { QUIRKS, type Quirks } from "../../core/quirks.ts";
import type { ProviderSettings } from "../../core/settings.ts";

interface QuirkRow {
  readonly server: string;
  /** Matches the base address's host, or for models behind routers the model's name. */
  readonly host?: RegExp;
  readonly model?: RegExp;
  /** Only where the host speaks this protocol. */
  readonly type?: ProviderSettings["type"];
  readonly quirks: Partial<Quirks>;
  readonly source: string;
}

/**
 * What each server wants beyond its protocol (FC-302, FC-303, FC-307). All rows that match apply, later ones last. What a row
 * gets wrong is learnt by the mild retry (FC-301) or written in `models.providers.*.models.*.quirks`.
 */
export const QUIRK_TABLE: readonly QuirkRow[] = [
  {
    server: "DeepSeek",
    host: /(^|\.)deepseek\.com$/,
    quirks: { reasoningBack: "calls" },
    source: "https://api-docs.deepseek.com/guides/thinking_mode (tool calls)",
  },
  {
    server: "DeepSeek models elsewhere",
    model: /deepseek-v4/i,
    quirks: { reasoningBack: "calls" },
    source: "https://github.com/anomalyco/opencode/issues/24722",
  },
  {
    server: "Gemini (OpenAI)",
    host: /(^|\.)googleapis\.com$/,
    type: "openai-compatible",
    quirks: { signedCalls: true, reasoningBack: "none" },
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures (OpenAI compatibility)",
  },
  {
    server: "Kimi",
    host: /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/,
    quirks: { reasoningBack: "calls" },
    source: "https://github.com/bytedance/deer-flow/issues/3043",
  },
  {
    server: "Mistral",
    host: /(^|\.)mistral\.ai$/,
    quirks: { reasoningBack: "none", callIds: "nine", userAfterResults: false, streamUsage: false, maxPictures: 8 },
    source: "https://github.com/avante-corp/avante.nvim/pull/2695, https://docs.mistral.ai/capabilities/vision/",
  },
  {
    server: "Mistral models elsewhere",
    model: /mistral|devstral|ministral|magistral|codestral|pixtral/i,
    quirks: { callIds: "nine", userAfterResults: false },
    source: "https://github.com/NousResearch/hermes-agent/issues/20154",
  },
  {
    server: "Groq",
    host: /(^|\.)groq\.com$/,
    quirks: { reasoningBack: "none", maxPictures: 5 },
    source: "https://github.com/SimonSchubert/Kai/issues/265, https://console.groq.com/docs/vision",
  },
  {
    server: "Cerebras",
    host: /(^|\.)cerebras\.ai$/,
    quirks: { reasoningBack: "none" },
    source: "https://github.com/QwenLM/qwen-code/issues/11045",
  },
  {
    server: "xAI",
    host: /(^|\.)x\.ai$/,
    quirks: { reasoningBack: "none" },
    source: "https://docs.x.ai/docs/guides/reasoning",
  },
  {
    server: "OpenAI's chat completions",
    host: /(^|\.)openai\.com$/,
    quirks: { reasoningBack: "none", textCalls: false },
    source: "https://platform.openai.com/docs/api-reference/chat/create",
  },
  {
    server: "OpenRouter",
    host: /(^|\.)openrouter\.ai$/,
    quirks: { reasoningBack: "all" },
    source: "https://openrouter.ai/docs/use-cases/reasoning-tokens (preserving reasoning blocks)",
  },
  {
    server: "MiniMax",
    host: /(^|\.)minimax(i)?\.(io|com|chat)$/,
    quirks: { reasoningBack: "all" },
    source: "https://platform.minimax.io/docs/guides/text-m2-function-call",
  },
  {
    server: "Gemma's chat template",
    model: /gemma-?2/i,
    quirks: { system: "user" },
    source: "https://ai.google.dev/gemma/docs/core/prompt-structure",
  },
];

/** Everything known before the first call: the protocol's defaults, the table, then the configuration. */
export function knownQuirks(settings: ProviderSettings, model: string): Quirks {
  const host = settings.baseUrl === null ? "" : (URL.parse(settings.baseUrl)?.hostname ?? "");
  const matches = (row: QuirkRow): boolean =>
    row.host === undefined
      ? settings.type === "openai-compatible" && row.model?.test(model) === true
      : row.host.test(host) && (row.type ?? settings.type) === settings.type;
  const known = QUIRK_TABLE.filter(matches).map((row) => row.quirks);
  const own: Partial<Quirks> = settings.models.get(model)?.quirks ?? {};
  return Object.assign({}, QUIRKS, DEFAULTS[settings.type], ...known, own);
}

const DEFAULTS: Readonly<Record<ProviderSettings["type"], Partial<Quirks>>> = {
  openai: { reasoningBack: "all" },
  anthropic: { reasoningBack: "all", maxPictures: 100 },
  google: { reasoningBack: "all" },
  "openai-compatible": { textCalls: true },
  demo: {},
};
