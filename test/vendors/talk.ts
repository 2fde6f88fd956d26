import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LearntModels } from "../../src/agent/providers/create-agent-runner.ts";
import { createAgentRunner } from "../../src/agent/providers/create-agent-runner.ts";
import { knownQuirks } from "../../src/agent/providers/known-quirks.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { ModelMessage, ModelPart, ModelRequest, ModelTool, StepEvent } from "../../src/core/model.ts";
import { modelRefText } from "../../src/core/models.ts";
import type { LearntQuirks } from "../../src/core/quirks.ts";
import type { ProviderSettings } from "../../src/core/settings.ts";
import type { VendorAnswer } from "../support/emulators/model/vendors/vendor-server.ts";
import type { Body } from "./rules.ts";
import { VENDORS, type Vendor } from "./vendors.ts";

/** A conversation with one server: what is stored, and what the server's model says next. */
export interface Talk {
  readonly vendor: Vendor;
  readonly messages: ModelMessage[];
  /** One model call over what is stored; the answer is stored too. Rejects when it fails. */
  answers(answer: Omit<VendorAnswer, "kind">, request?: Partial<ModelRequest>): Promise<StepEvent & { type: "done" }>;
  user(text: string, ...more: readonly ModelPart[]): void;
  assistant(...parts: readonly ModelPart[]): void;
  /** Stores the results of the last message's calls. */
  results(result: (name: string) => JsonObject | string): void;
  /** The server breaks down at its next request. */
  breaks(): void;
  /** What the server was sent, refused requests too. */
  readonly bodies: readonly Body[];
}

export interface Vendors {
  talk(vendor: Vendor, messages?: readonly ModelMessage[]): Talk;
  learnt(vendor: Vendor): LearntQuirks | null;
  forget(): void;
  close(): Promise<void>;
}

export const TOOLS: readonly ModelTool[] = ["look_up", "write_down"].map((name) => ({
  name,
  description: `Does ${name}.`,
  parameters: {
    type: "object",
    properties: { what: { type: "string", maxLength: 2000 } },
    required: ["what"],
    additionalProperties: false,
  },
}));

/** All servers behind one port, each below a path of its own, and one runner that knows them all. */
export async function startVendors(): Promise<Vendors> {
  const next = new Map<string, VendorAnswer | "breaks">();
  const bodies = new Map<string, Body[]>(VENDORS.map(({ name }) => [name, []]));
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const [, at = "", rest = ""] = /^\/(\d+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
    const vendor = VENDORS[Number(at)];
    if (vendor === undefined) return void response.writeHead(404).end();
    bodies.get(vendor.name)?.push(body);
    const answer = next.get(vendor.name);
    if (answer === "breaks" || answer === undefined) {
      next.delete(vendor.name);
      return void response.writeHead(500).end("Internal Server Error");
    }
    const fault =
      vendor.protocol.fault({ path: rest, headers: incoming.headers, body }) ??
      vendor.rules.map((rule) => rule(body)).find((words) => words !== null);
    if (fault !== null && fault !== undefined) {
      const error =
        vendor.errors === "list"
          ? { errors: [{ message: fault, code: 5006 }], success: false, result: {}, messages: [] }
          : { error: { message: fault, type: "invalid_request_error", code: null } };
      return void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).end(vendor.protocol.render(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const memory = new Map<string, LearntQuirks>();
  const learnt: LearntModels = {
    of: async (model) => memory.get(modelRefText(model)) ?? null,
    learn: async (model, quirks) => void memory.set(modelRefText(model), quirks),
  };
  const providers = VENDORS.map((vendor, at): [string, ProviderSettings] => {
    const settings = { id: vendor.name, type: vendor.type, apiKey: "key", models: new Map() };
    const quirks = knownQuirks({ ...settings, baseUrl: vendor.address }, vendor.model);
    const models = new Map([[vendor.model, { contextTokens: 200_000, images: true, price: null, quirks }]]);
    return [vendor.name, { ...settings, baseUrl: `http://127.0.0.1:${port}/${at}${vendor.path}`, models }];
  });
  const runner = createAgentRunner({
    models: { providers: new Map(providers), aliases: new Map() },
    clock: { now: () => 1_000 },
    learnt,
  });

  return {
    talk(vendor, before = []) {
      const messages = [...before];
      const from = bodies.get(vendor.name)?.length ?? 0;
      return {
        vendor,
        messages,
        async answers(answer, request = {}) {
          if (next.get(vendor.name) !== "breaks") next.set(vendor.name, { kind: "answer", ...answer });
          const model = { provider: vendor.name, model: vendor.model };
          const whole = { model, system: "You are a test.", messages, tools: TOOLS, thinking: null, ...request };
          for await (const event of runner.step(whole, new AbortController().signal)) {
            if (event.type === "failed") throw event.error;
            if (event.type !== "done") continue;
            messages.push({ role: "assistant", parts: event.parts.filter((part) => part.type !== "attachment") });
            return event;
          }
          throw new Error("the stream had no end");
        },
        user: (text, ...more) => void messages.push({ role: "user", parts: [{ type: "text", text }, ...more] }),
        assistant: (...parts) => void messages.push({ role: "assistant", parts }),
        results(result) {
          const calls = (messages.findLast(({ role }) => role === "assistant")?.parts ?? []).filter(
            (part) => part.type === "tool_call",
          );
          for (const { callId, name } of calls) {
            messages.push({
              role: "tool",
              parts: [{ type: "tool_result", callId, name, result: result(name), isError: false }],
            });
          }
        },
        breaks: () => void next.set(vendor.name, "breaks"),
        get bodies() {
          return (bodies.get(vendor.name) ?? []).slice(from);
        },
      };
    },
    learnt: (vendor) => memory.get(`${vendor.name}/${vendor.model}`) ?? null,
    forget: () => memory.clear(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
