import { random } from "../concurrency/random.ts";
import { type Json, mangled, mutated } from "./mutate.ts";

const TOOL = { name: "echo", description: "Says it again.", inputSchema: { type: "object", properties: {} } };
const RESULTS: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "mangles", version: "1" },
  },
  "tools/list": { tools: [TOOL, { ...TOOL, name: "other", title: "Other", annotations: { readOnlyHint: true } }] },
  "tools/call": {
    content: [
      { type: "text", text: "hello" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a", text: "b" } },
    ],
    structuredContent: { a: [1, { b: "c" }] },
    isError: false,
  },
  ping: {},
};

/** What a good server answers; null: nothing. */
function properAnswer({ id, method }: { readonly id?: number; readonly method?: string }): Json {
  if (id === undefined) return null;
  return { jsonrpc: "2.0", id, result: RESULTS[method ?? ""] ?? {} };
}

/**
 * What a server that mangles sends for a request, in order. Calls are answered with something that is wrong in its values or its bytes,
 * and then well. At every tenth call it says that its tools have changed; each second list of them is mangled too, and said to have changed.
 */
export function createMangler(seed: number): (request: { readonly id?: number; readonly method?: string }) => string[] {
  let calls = 0;
  let lists = 0;
  return (request) => {
    const proper = properAnswer(request);
    if (proper === null) return [];
    const right = JSON.stringify(proper);
    if (request.method === "tools/call") {
      calls += 1;
      return [mangledAnswer(proper, seed, calls), right, ...(calls % 10 === 0 ? [CHANGED] : [])];
    }
    if (request.method === "tools/list") lists += 1;
    if (request.method !== "tools/list" || lists % 2 === 1) return [right];
    return [mangledAnswer(proper, seed, -lists), right, CHANGED];
  };
}

const CHANGED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });

function mangledAnswer(proper: Json, seed: number, at: number): string {
  const chance = random("mcp", seed, at);
  if (chance.chance(0.5)) return JSON.stringify(mutated(proper, "mcp", seed, at));
  return mangled(JSON.stringify(proper), "mcp", seed, at);
}
