import { expect, it } from "vitest";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { mainSessionKey } from "../../../src/core/session/session-key.ts";
import { fitWindow } from "../../../src/sessions/context-window.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { contextTail } from "../../../src/store/reads/turns/context.ts";
import { defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";

const KEY = mainSessionKey("main");
const LIMIT = 10;

const said = (text: string): NewMessage => ({
  role: "user",
  parts: [{ type: "text", text }],
  provenance: { kind: "system", source: "test" },
  usage: null,
});
const asked = (callIds: readonly string[]): NewMessage => ({
  role: "assistant",
  parts: callIds.map((callId) => ({ type: "tool_call", callId, name: "look", args: {}, providerData: null })),
  provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
  usage: null,
});
const found = (callId: string): NewMessage => ({
  role: "tool",
  parts: [{ type: "tool_result", callId, name: "look", result: { status: "ok" }, isError: false }],
  provenance: { kind: "tool", tool: "look" },
  usage: null,
});

const write = defineStep("write", "normal", async (context, messages: readonly NewMessage[]) => {
  const session = await ensureSession(context, { key: KEY, agentId: "main", channel: null, originRoute: null });
  await insertMessages(context, { sessionId: session.sessionId, sessionKey: KEY, turnId: null }, messages);
  return session.sessionId;
});

describeOnEveryStore("the context of a long turn", (open) => {
  it("TN-12: a turn of more messages than a context reads keeps what was asked, and every result its call", async () => {
    const { store } = await open();
    const calls = Array.from({ length: LIMIT + 5 }, (_, index) => `c${index}`);
    const turn = [said("look everywhere"), asked(calls), ...calls.map(found)];
    const sessionId = await store.step(write, [said("before"), asked([]), ...turn]);
    const tail = await store.read(contextTail, { sessionId, limit: LIMIT });
    expect(tail.map(({ role }) => role)).toEqual(turn.map(({ role }) => role));
    const window = fitWindow(tail, 1);
    expect(window[0]?.parts).toEqual([{ type: "text", text: "look everywhere" }]);
    expect(window).toHaveLength(turn.length);
  });

  it("TN-12: otherwise only the newest messages are read", async () => {
    const { store } = await open();
    const many = Array.from({ length: 3 * LIMIT }, (_, index) => said(`m${index}`));
    const sessionId = await store.step(write, many);
    expect(await store.read(contextTail, { sessionId, limit: LIMIT })).toHaveLength(LIMIT);
  });
});
