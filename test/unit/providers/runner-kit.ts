import { createAgentRunner } from "../../../src/agent/providers/create-agent-runner.ts";
import type { AgentRunner } from "../../../src/agent/runner.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { ModelMessage, ModelRequest, ModelTool, StepEvent } from "../../../src/core/model.ts";
import type { ProviderType } from "../../../src/core/settings.ts";

export interface RunnerKit {
  readonly runner: AgentRunner;
  /** One step, all its events. */
  step(request?: Partial<ModelRequest>, signal?: AbortSignal): Promise<StepEvent[]>;
}

/** A runner with one provider, `p`, of this type at this address. */
export function runnerFor(
  type: ProviderType,
  baseUrl: string | null,
  options: { idleMs?: number; firstTokenMs?: number; apiKey?: string; demoDelayMs?: number } = {},
): RunnerKit {
  const runner = createAgentRunner({
    models: {
      providers: new Map([
        [
          "p",
          {
            id: "p",
            type,
            baseUrl,
            apiKey: options.apiKey ?? "test-key-000",
            firstTokenMs: options.firstTokenMs ?? null,
            models: new Map(),
          },
        ],
      ]),
      aliases: new Map(),
    },
    clock: { now: () => 1_000_000 },
    demoDelayMs: options.demoDelayMs ?? 0,
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
  });
  return {
    runner,
    step: (request, signal) => collect(runner.step(requestOf(request), signal ?? new AbortController().signal)),
  };
}

export function requestOf(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: { provider: "p", model: "m-1" },
    system: "You are a test.",
    messages: [user("hello")],
    tools: [],
    thinking: null,
    ...request,
  };
}

export async function collect(events: AsyncIterable<StepEvent>): Promise<StepEvent[]> {
  const all: StepEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function user(text: string): ModelMessage {
  return { role: "user", parts: [{ type: "text", text }] };
}

export function assistant(text: string): ModelMessage {
  return { role: "assistant", parts: [{ type: "text", text }] };
}

export function called(callId: string, name: string, args: JsonObject): ModelMessage {
  return { role: "assistant", parts: [{ type: "tool_call", callId, name, args, providerData: null }] };
}

export function returned(callId: string, name: string, result: JsonObject): ModelMessage {
  return { role: "tool", parts: [{ type: "tool_result", callId, name, result, isError: false }] };
}

export function tool(name: string): ModelTool {
  const parameters = { type: "object", properties: { task: { type: "string" } }, required: ["task"] };
  return { name, description: `Does ${name}.`, parameters };
}

/** The last event, which must be `done`. */
export function doneOf(events: readonly StepEvent[]): StepEvent & { type: "done" } {
  const last = events.at(-1);
  if (last?.type !== "done")
    throw new Error(`not done: ${JSON.stringify(last)} ${last?.type === "failed" ? last.error.message : ""}`);
  return last;
}

/** The error of the last event, which must be `failed`. */
export function failureOf(events: readonly StepEvent[]): (StepEvent & { type: "failed" })["error"] {
  const last = events.at(-1);
  if (last?.type !== "failed") throw new Error(`not failed: ${JSON.stringify(last)}`);
  return last.error;
}
