import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "../../../../src/core/runtime.ts";
import type { ChatRequest } from "./request-check.ts";
import type { ModelReply, ReplyUsage } from "./script.ts";

type Answer = ModelReply & { readonly kind: "answer" };

/** Writes a reply. Deltas between two waits leave in one write, so that an answer without delays costs one write. */
export async function writeReply(reply: ModelReply, request: ChatRequest, response: ServerResponse): Promise<void> {
  if (reply.kind === "http") {
    response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) });
    response.end(reply.body);
    return;
  }
  if (request.stream) return writeStream(reply, request, response);
  return writeWhole(reply, request, response);
}

async function writeStream(reply: Answer, request: ChatRequest, response: ServerResponse): Promise<void> {
  const head = `data: {"id":"chat-${request.index}","object":"chat.completion.chunk","created":1,"model":${JSON.stringify(request.model)},`;
  let buffer = "";
  const event = (rest: string) => {
    buffer += `${head}${rest}}\n\n`;
  };
  const delta = (value: unknown) =>
    event(`"choices":[{"index":0,"delta":${JSON.stringify(value)},"finish_reason":null}]`);
  const flush = () => {
    if (buffer !== "") response.write(buffer);
    buffer = "";
  };
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  delta({ role: "assistant", content: "" });
  let calls = 0;
  for (const step of reply.steps) {
    switch (step.type) {
      case "text":
        delta({ content: step.delta });
        break;
      case "reasoning":
        delta({ reasoning_content: step.delta });
        break;
      case "call": {
        const index = calls++;
        const id = step.id ?? `call_${request.index}_${index}`;
        delta({ tool_calls: [{ index, id, type: "function", function: { name: step.name, arguments: "" } }] });
        for (const fragment of fragmentsOf(step.args, step.fragments)) {
          delta({ tool_calls: [{ index, function: { arguments: fragment } }] });
        }
        break;
      }
      case "wait":
      case "delay":
        flush();
        await (step.type === "wait" ? step.until : sleep(step.ms));
        if (response.destroyed) return;
        break;
      case "raw":
        buffer += step.bytes;
        break;
      case "cut":
        flush();
        // The bytes before the cut must reach the client, as they would from a server that dies later.
        await new Promise((resolve) => response.write("", resolve));
        response.socket?.destroy();
        return;
      case "end":
        response.end(buffer);
        return;
      case "silence":
        flush();
        response.flushHeaders();
        return;
      default:
        assertNever(step);
    }
  }
  event(`"choices":[{"index":0,"delta":{},"finish_reason":${JSON.stringify(finishOf(reply, calls))}}]`);
  const options = request.body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage === true) {
    event(`"choices":[],"usage":${JSON.stringify(wireUsage(reply, request))}`);
  }
  response.end(`${buffer}data: [DONE]\n\n`);
}

async function writeWhole(reply: Answer, request: ChatRequest, response: ServerResponse): Promise<void> {
  let text = "";
  let reasoning = "";
  const calls: unknown[] = [];
  for (const step of reply.steps) {
    if (step.type === "wait") await step.until;
    else if (step.type === "delay") await sleep(step.ms);
    else if (step.type === "text") text += step.delta;
    else if (step.type === "reasoning") reasoning += step.delta;
    else if (step.type === "cut" || step.type === "raw" || step.type === "end") return void response.socket?.destroy();
    else if (step.type === "silence") return;
    else {
      const id = step.id ?? `call_${request.index}_${calls.length}`;
      calls.push({ id, type: "function", function: { name: step.name, arguments: step.args } });
    }
  }
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const body = JSON.stringify({
    id: `chat-${request.index}`,
    object: "chat.completion",
    created: 1,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finishOf(reply, calls.length) }],
    usage: wireUsage(reply, request),
  });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function finishOf(reply: Answer, calls: number): string {
  return reply.finish ?? (calls > 0 ? "tool_calls" : "stop");
}

function wireUsage(reply: Answer, request: ChatRequest): unknown {
  const usage = reply.usage ?? estimate(reply, request);
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
}

function estimate(reply: Answer, request: ChatRequest): ReplyUsage {
  const inputLength = request.messages.reduce((sum, message) => sum + (message.content?.length ?? 0), 0);
  const outputLength = reply.steps.reduce((sum, step) => sum + (step.type === "text" ? step.delta.length : 0), 0);
  return { input: Math.ceil(inputLength / 4), output: Math.ceil(outputLength / 4), cached: 0 };
}

function fragmentsOf(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  const fragments: string[] = [];
  for (let at = 0; at < text.length; at += size) fragments.push(text.slice(at, at + size));
  return fragments;
}
