import type { ProviderSettings } from "../../core/settings.ts";
import { demo } from "./demo/demo.ts";
import { httpProvider } from "./http-provider.ts";
import { readAnthropic } from "./read/anthropic.ts";
import { readGoogle } from "./read/google.ts";
import { readChat } from "./read/openai-chat.ts";
import { readResponses } from "./read/openai-responses.ts";
import { writeAnthropic } from "./wire/anthropic.ts";
import { writeGoogle } from "./wire/google.ts";
import { writeChat } from "./wire/openai-chat.ts";
import { writeResponses } from "./wire/openai-responses.ts";
import type { ModelProvider, Protocol } from "./wire/protocol.ts";

export interface ProviderOptions {
  /** Milliseconds between two deltas of the demo model. */
  readonly demoDelayMs: number;
}

const PROTOCOLS: Readonly<Record<Exclude<ProviderSettings["type"], "demo">, Protocol>> = {
  openai: { baseUrl: "https://api.openai.com/v1", write: writeResponses, read: readResponses },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", write: writeAnthropic, read: readAnthropic },
  google: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", write: writeGoogle, read: readGoogle },
  "openai-compatible": { baseUrl: "http://127.0.0.1:11434/v1", write: writeChat, read: readChat },
};

export function openProvider(settings: ProviderSettings, options: ProviderOptions): ModelProvider {
  return settings.type === "demo" ? demo(options) : httpProvider(PROTOCOLS[settings.type], settings);
}
