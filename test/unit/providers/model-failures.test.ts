import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelErrorCode } from "../../../src/core/errors.ts";
import {
  answer,
  delay,
  faults,
  gate,
  type ModelEmulator,
  type ModelReply,
  startModelEmulator,
  text,
} from "../../support/emulators/model/index.ts";
import { doneOf, failureOf, requestOf, runnerFor } from "./runner-kit.ts";

let model: ModelEmulator | null = null;
afterEach(async () => {
  await model?.close();
  model = null;
});

interface FailureCase {
  readonly name: string;
  readonly reply: ModelReply;
  readonly code: ModelErrorCode;
  readonly retryAfterMs?: number;
  readonly deltas?: number;
}

const CASES: readonly FailureCase[] = [
  {
    name: "429 with retry-after in seconds",
    reply: faults.rateLimited({ retryAfterSeconds: 7 }),
    code: "rate_limited",
    retryAfterMs: 7000,
  },
  {
    name: "429 with retry-after-ms",
    reply: faults.rateLimited({ retryAfterMs: 250 }),
    code: "rate_limited",
    retryAfterMs: 250,
  },
  { name: "429 without a time", reply: faults.rateLimited(), code: "rate_limited" },
  { name: "500", reply: faults.serverError(), code: "unavailable" },
  { name: "503", reply: faults.serverError(503), code: "unavailable" },
  { name: "502 with an HTML page", reply: faults.html(502), code: "unavailable" },
  { name: "400", reply: faults.badRequest(), code: "bad_request" },
  { name: "400 context_length_exceeded", reply: faults.contextOverflow(), code: "context_overflow" },
  { name: "401", reply: faults.unauthorized(401), code: "unauthorized" },
  { name: "403", reply: faults.unauthorized(403), code: "unauthorized" },
  { name: "404 for the model", reply: faults.unknownModel(), code: "unknown_model" },
  { name: "200 with an HTML page", reply: faults.html(200), code: "bad_response" },
  { name: "200 without choices", reply: faults.noChoices(), code: "bad_response" },
  { name: "a stream without a finish reason", reply: faults.endsEarly("Hel", "lo"), code: "bad_response", deltas: 2 },
  { name: "a stream cut in the middle", reply: faults.cutAfter("Hel", "lo"), code: "unavailable", deltas: 2 },
  { name: "an error event in the stream", reply: faults.errorEvent("overloaded"), code: "unavailable", deltas: 1 },
  { name: "a rate limit in the stream", reply: faults.errorEvent("slow down", 429), code: "rate_limited", deltas: 1 },
];

describe("TN-6 model failures over a real socket", () => {
  test.each(CASES)("TN-6: $name is $code", async ({ reply, code, retryAfterMs, deltas }) => {
    model = await startModelEmulator({ script: () => reply });
    const events = await runnerFor("openai-compatible", model.url).step();
    const error = failureOf(events);
    expect(error).toMatchObject({ code, retryAfterMs: retryAfterMs ?? null });
    expect(events.filter((event) => event.type === "text")).toHaveLength(deltas ?? 0);
    expect(events.filter((event) => event.type === "failed" || event.type === "done")).toHaveLength(1);
    expect(error.message).toMatch(/^p\/m-1: /);
    expect(error.message).not.toMatch(/http:|127\.0\.0\.1|sk-test|test-key/);
    // A refused request is put once more in its mildest form (FC-301); waiting is the caller's.
    expect(model.requests).toHaveLength(code === "bad_request" ? 2 : 1);
  });

  test("FC-310: one line that cannot be read costs what it held; the answer arrives and says that it is cut", async () => {
    model = await startModelEmulator({ script: () => faults.brokenSse("Hel") });
    const done = doneOf(await runnerFor("openai-compatible", model.url).step());
    expect(done).toMatchObject({ parts: [{ type: "text", text: "Hel" }], finish: "length" });
  });

  test("TN-6: a refused connection is unavailable", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const error = failureOf(await runnerFor("openai-compatible", `http://127.0.0.1:${port}/v1`).step());
    expect(error.code).toBe("unavailable");
    expect(error.message).toBe("p/m-1: the connection failed (ECONNREFUSED)");
  });

  test("TN-5: a stream that falls silent ends as idle and the request is cancelled", async () => {
    model = await startModelEmulator({ script: () => faults.idleAfter("Hel") });
    const events = await runnerFor("openai-compatible", model.url, { idleMs: 2_000 }).step();
    expect(failureOf(events)).toMatchObject({ code: "idle", message: "p/m-1: the model said nothing for 2 s" });
    expect(events[0]).toEqual({ type: "text", delta: "Hel" });
    expect(await model.requests[0]?.ended).toEqual({ byClient: true });
  });

  test("TN-5: a server that never answers at all ends as idle", async () => {
    model = await startModelEmulator({ script: () => new Promise<ModelReply>(() => undefined) });
    const events = await runnerFor("openai-compatible", model.url, { idleMs: 60 }).step();
    expect(failureOf(events).code).toBe("idle");
  });

  test("FC-316: the first byte has a limit of its own, and a comment is a sign of life", async () => {
    const comment = { type: "raw", bytes: ": still here\n\n" } as const;
    const beats = Array.from({ length: 6 }, () => [delay(100), comment]).flat();
    model = await startModelEmulator({
      script: async () => {
        await sleep(450);
        return answer(...beats, text("a"));
      },
    });
    const patient = runnerFor("openai-compatible", model.url, { idleMs: 400, firstTokenMs: 5_000 });
    expect(doneOf(await patient.step()).parts).toEqual([{ type: "text", text: "a" }]);
    const hasty = runnerFor("openai-compatible", model.url, { idleMs: 5_000, firstTokenMs: 20 });
    expect(failureOf(await hasty.step()).code).toBe("idle");
  });

  test("TN-5: the time a consumer takes is not the model's silence", async () => {
    const hold = gate();
    model = await startModelEmulator({ script: () => answer(text("a"), hold.step, text("b")) });
    const { runner } = runnerFor("openai-compatible", model.url, { idleMs: 80 });
    const types: string[] = [];
    for await (const event of runner.step(requestOf(), new AbortController().signal)) {
      types.push(event.type);
      if (event.type !== "text") continue;
      await sleep(160);
      hold.open();
    }
    expect(types).toEqual(["text", "text", "done"]);
  });

  test("TN-8: an abort in the middle of a stream ends it as aborted at once", async () => {
    model = await startModelEmulator({ script: () => faults.idleAfter("Hel") });
    const abort = new AbortController();
    const { runner } = runnerFor("openai-compatible", model.url);
    const codes: string[] = [];
    for await (const event of runner.step(requestOf(), abort.signal)) {
      codes.push(event.type === "failed" ? event.error.code : event.type);
      if (event.type === "text") setImmediate(() => abort.abort());
    }
    expect(codes).toEqual(["text", "aborted"]);
    expect(await model.requests[0]?.ended).toEqual({ byClient: true });
  });

  test("TN-8: a call that is aborted before it begins makes no request", async () => {
    model = await startModelEmulator();
    const events = await runnerFor("openai-compatible", model.url).step({}, AbortSignal.abort());
    expect(failureOf(events).code).toBe("aborted");
    expect(model.requests).toHaveLength(0);
  });
});

test("FC-322: an address without /v1 reaches a server below /v1, and is asked there from then on", async () => {
  model = await startModelEmulator({ script: () => answer(text("here")) });
  const kit = runnerFor("openai-compatible", new URL(model.url).origin);
  expect(doneOf(await kit.step()).parts).toMatchObject([{ type: "text", text: "here" }]);
  expect(doneOf(await kit.step()).parts).toMatchObject([{ type: "text", text: "here" }]);
});
