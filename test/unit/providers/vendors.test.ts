import { afterEach, describe, expect, test } from "vitest";
import type { ModelErrorCode } from "../../../src/core/errors.ts";
import type { ModelMessage } from "../../../src/core/model.ts";
import type { ProviderType } from "../../../src/core/settings.ts";
import { anthropicProtocol } from "../../support/emulators/model/vendors/anthropic.ts";
import { googleProtocol } from "../../support/emulators/model/vendors/google.ts";
import { openaiResponsesProtocol } from "../../support/emulators/model/vendors/openai-responses.ts";
import {
  startVendorServer,
  type VendorProtocol,
  type VendorReply,
  type VendorServer,
} from "../../support/emulators/model/vendors/vendor-server.ts";
import { assistant, called, doneOf, failureOf, returned, runnerFor, tool, user } from "./runner-kit.ts";

interface Vendor {
  readonly type: ProviderType;
  readonly protocol: VendorProtocol;
  readonly prefix: string;
  readonly model: string;
}

const OPENAI: Vendor = { type: "openai", protocol: openaiResponsesProtocol, prefix: "/v1", model: "gpt-5-mini" };
const ANTHROPIC: Vendor = { type: "anthropic", protocol: anthropicProtocol, prefix: "/v1", model: "claude-sonnet-4-5" };
const GOOGLE: Vendor = { type: "google", protocol: googleProtocol, prefix: "/v1beta", model: "gemini-2.5-flash" };
const VENDORS = [OPENAI, ANTHROPIC, GOOGLE];

let server: VendorServer;
afterEach(() => server.close());

async function kit(vendor: Vendor, ...replies: readonly VendorReply[]) {
  server = await startVendorServer(vendor.protocol, replies);
  const { step } = runnerFor(vendor.type, `${server.url}${vendor.prefix}`);
  return (messages: readonly ModelMessage[] = [user("hello")]) =>
    step({ messages, model: { provider: "p", model: vendor.model }, tools: [tool("sessions_spawn")] });
}

describe.each(VENDORS)("OP-3 $type over a real socket", (vendor) => {
  test(`OP-3: ${vendor.type} streams text and counts tokens`, async () => {
    const step = await kit(vendor, { kind: "answer", deltas: ["Hel", "lo."] });
    const events = await step();
    expect(doneOf(events)).toEqual({
      type: "done",
      parts: [{ type: "text", text: "Hello." }],
      usage: { input: vendor.type === "anthropic" ? 14 : 10, output: 7, cached: 4 },
      finish: "stop",
    });
    expect(events.flatMap((event) => (event.type === "text" ? [event.delta] : []))).toEqual(["Hel", "lo."]);
    expect(server.requests).toHaveLength(1);
  });

  test(`OP-3: ${vendor.type} makes a tool call and takes its result back, signed reasoning included`, async () => {
    const args = { task: "look" };
    const step = await kit(
      vendor,
      {
        kind: "answer",
        thinking: { text: "Hmm.", signature: "c2lnbmVk" },
        call: { id: "call_x1", name: "sessions_spawn", args },
      },
      { kind: "answer", deltas: ["done"] },
    );
    const first = doneOf(await step());
    expect(first.finish).toBe("tool_calls");
    const reasoning = first.parts.find((part) => part.type === "reasoning");
    const call = first.parts.find((part) => part.type === "tool_call");
    expect(reasoning).toMatchObject({ text: "Hmm." });
    expect(JSON.stringify(reasoning)).toContain("c2lnbmVk");
    expect(call).toMatchObject({ name: "sessions_spawn", args });
    const callId = call?.type === "tool_call" ? call.callId : "";
    const parts = first.parts.filter((part) => part.type !== "attachment");
    const second = await step([
      user("hello"),
      { role: "assistant", parts },
      returned(callId, "sessions_spawn", { status: "accepted" }),
    ]);
    expect(doneOf(second).parts).toEqual([{ type: "text", text: "done" }]);
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain("c2lnbmVk");
    expect(sent).toContain("accepted");
  });

  test(`OP-3: ${vendor.type} drops reasoning that another vendor signed`, async () => {
    const step = await kit(vendor, { kind: "answer", deltas: ["ok"] });
    const foreign = {
      type: "reasoning" as const,
      text: "secret thought",
      providerData: { other: { signature: "zzz" } },
    };
    const events = await step([
      user("a"),
      { role: "assistant", parts: [foreign, { type: "text", text: "b" }] },
      user("c"),
    ]);
    doneOf(events);
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/secret thought|zzz/);
  });

  test(`TN-7: ${vendor.type} accepts a conversation with a call whose arguments were not JSON`, async () => {
    const step = await kit(vendor, { kind: "answer", deltas: ["ok"] });
    const broken: ModelMessage = {
      role: "assistant",
      parts: [{ type: "tool_call", callId: "functions.x:0", name: "sessions_spawn", args: '{"a', providerData: null }],
    };
    doneOf(await step([user("a"), broken, returned("functions.x:0", "sessions_spawn", { status: "error" })]));
  });

  test(`TN-6: ${vendor.type} ends a stream that breaks off as a bad response`, async () => {
    const step = await kit(vendor, { kind: "events", body: 'data: {"broken\n\n' });
    expect(failureOf(await step()).code).toBe("bad_response");
  });

  test(`TN-6: ${vendor.type} ends an answer without its end as a bad response`, async () => {
    const whole = vendor.protocol.render({ kind: "answer", deltas: ["Hello."] });
    const step = await kit(vendor, {
      kind: "events",
      body: whole.slice(0, whole.indexOf("\n", whole.indexOf("Hello.")) + 3),
    });
    const events = await step();
    expect(events[0]).toEqual({ type: "text", delta: "Hello." });
    expect(failureOf(events).code).toBe("bad_response");
  });

  test(`TN-6: ${vendor.type} ends an HTML page as a bad response`, async () => {
    const step = await kit(vendor, { kind: "events", body: "<html></html>" });
    expect(failureOf(await step()).code).toBe("bad_response");
  });
});

function fault(status: number, error: unknown, headers: Readonly<Record<string, string>> = {}): VendorReply {
  return { kind: "http", status, body: JSON.stringify(error), headers };
}

function anthropicError(type: string, message: string): unknown {
  return { type: "error", error: { type, message } };
}

function googleError(code: number, status: string, message: string, details: readonly unknown[] = []): unknown {
  return { error: { code, status, message, details } };
}

const FAILURES: readonly {
  vendor: Vendor;
  name: string;
  reply: VendorReply;
  code: ModelErrorCode;
  retryAfterMs?: number;
}[] = [
  {
    vendor: OPENAI,
    name: "context overflow",
    reply: fault(400, {
      error: {
        message: "Your input exceeds the context window of this model.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    }),
    code: "context_overflow",
  },
  {
    vendor: OPENAI,
    name: "wrong key",
    reply: fault(401, {
      error: {
        message: "Incorrect API key provided: sk-abc12345",
        type: "invalid_request_error",
        code: "invalid_api_key",
      },
    }),
    code: "unauthorized",
  },
  {
    vendor: OPENAI,
    name: "no quota",
    reply: fault(429, {
      error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
    }),
    code: "no_credit",
  },
  {
    vendor: OPENAI,
    name: "rate limit",
    reply: fault(
      429,
      { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } },
      { "retry-after-ms": "1500" },
    ),
    code: "rate_limited",
    retryAfterMs: 1500,
  },
  {
    vendor: OPENAI,
    name: "failure in the stream",
    reply: {
      kind: "events",
      body: `data: ${JSON.stringify({ type: "response.failed", sequence_number: 1, response: { error: { code: "server_error", message: "oops" } } })}\n\n`,
    },
    code: "unavailable",
  },
  {
    vendor: ANTHROPIC,
    name: "prompt too long",
    reply: fault(400, anthropicError("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum")),
    code: "context_overflow",
  },
  {
    vendor: ANTHROPIC,
    name: "overloaded",
    reply: fault(529, anthropicError("overloaded_error", "Overloaded")),
    code: "unavailable",
  },
  {
    vendor: ANTHROPIC,
    name: "rate limit",
    reply: fault(429, anthropicError("rate_limit_error", "Rate limited"), { "retry-after": "12" }),
    code: "rate_limited",
    retryAfterMs: 12_000,
  },
  {
    vendor: ANTHROPIC,
    name: "wrong key",
    reply: fault(401, anthropicError("authentication_error", "invalid x-api-key")),
    code: "unauthorized",
  },
  {
    vendor: ANTHROPIC,
    name: "unknown model",
    reply: fault(404, anthropicError("not_found_error", "model: claude-nope")),
    code: "unknown_model",
  },
  {
    vendor: ANTHROPIC,
    name: "overload in the stream",
    reply: {
      kind: "events",
      body: `event: error\ndata: ${JSON.stringify(anthropicError("overloaded_error", "Overloaded"))}\n\n`,
    },
    code: "unavailable",
  },
  {
    vendor: GOOGLE,
    name: "input too long",
    reply: fault(
      400,
      googleError(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
    ),
    code: "context_overflow",
  },
  {
    vendor: GOOGLE,
    name: "wrong key",
    reply: fault(
      400,
      googleError(400, "INVALID_ARGUMENT", "API key not valid.", [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
      ]),
    ),
    code: "unauthorized",
  },
  {
    vendor: GOOGLE,
    name: "quota",
    reply: fault(429, googleError(429, "RESOURCE_EXHAUSTED", "Quota exceeded", [{ retryDelay: "34s" }])),
    code: "rate_limited",
    retryAfterMs: 34_000,
  },
  {
    vendor: GOOGLE,
    name: "overloaded",
    reply: fault(503, googleError(503, "UNAVAILABLE", "The model is overloaded.")),
    code: "unavailable",
  },
  {
    vendor: GOOGLE,
    name: "unknown model",
    reply: fault(404, googleError(404, "NOT_FOUND", "models/nope is not found")),
    code: "unknown_model",
  },
];

describe("TN-6 failures of each vendor", () => {
  test.each(FAILURES)("TN-6: $vendor.type: $name is $code", async ({ vendor, reply, code, retryAfterMs }) => {
    const step = await kit(vendor, reply);
    const error = failureOf(await step());
    expect({ code: error.code, retryAfterMs: error.retryAfterMs }).toEqual({
      code,
      retryAfterMs: retryAfterMs ?? null,
    });
    expect(error.message).not.toMatch(/http:|sk-abc|test-key/);
    expect(server.requests).toHaveLength(1);
  });

  test("OP-3: openai keeps nothing at the vendor and leaves optional arguments optional", async () => {
    const step = await kit(OPENAI, { kind: "answer", deltas: ["ok"] });
    doneOf(
      await step([user("a"), called("c1", "sessions_spawn", { task: "x" }), returned("c1", "sessions_spawn", {})]),
    );
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      tools: [{ name: "sessions_spawn", strict: false }],
    });
  });

  test("OP-3: anthropic gets cache marks on the system text and the two newest messages of people", async () => {
    const step = await kit(ANTHROPIC, { kind: "answer", deltas: ["ok"] });
    doneOf(await step([user("a"), assistant("b"), user("c"), assistant("d"), user("e")]));
    const body = server.requests.map((request) => request.body)[0] ?? {};
    const { system, messages } = body as { system: unknown[]; messages: { content: unknown[] }[] };
    expect(system).toMatchObject([{ cache_control: { type: "ephemeral" } }]);
    expect(messages.map((message) => JSON.stringify(message.content).includes("ephemeral"))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });
});
