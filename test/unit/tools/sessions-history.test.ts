import { expect, it } from "vitest";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { assistant, key, ToolScene, user } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const OTHER = "agent:main:discord:channel:2";
const settings = testSettings({ tools: { sessions: { visibility: "agent" } } });

interface View {
  readonly seq: number;
  readonly role: string;
  readonly text: string;
}
function views(result: { messages?: unknown }): View[] {
  return result.messages as View[];
}

function toolMessage(result: string): NewMessage {
  return {
    role: "tool",
    parts: [{ type: "tool_result", callId: "1", name: "exec", result, isError: false }],
    provenance: { kind: "tool", tool: "exec" },
    usage: null,
  };
}

describeOnEveryStore("sessions_history", (open) => {
  async function prepare(messages: readonly NewMessage[]) {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN);
    await scene.session(OTHER);
    if (messages.length > 0) await scene.write(OTHER, messages);
    const caller = await scene.turn(OWN);
    const history = async (args: Parameters<typeof caller.call>[1] = {}) =>
      (await caller.call("sessions_history", { sessionKey: OTHER, ...args })).result;
    return { scene, caller, history };
  }

  it("ST-5, FC-031: without limit the newest 50, oldest first, and says that there is more", async () => {
    const { history } = await prepare(Array.from({ length: 120 }, (_, at) => user(`m${at}`)));
    const result = await history();
    expect(views(result).map((view) => view.text)).toEqual(Array.from({ length: 50 }, (_, at) => `m${at + 70}`));
    expect(result).toMatchObject({ status: "ok", truncated: true, droppedMessages: 0, contentTruncated: false });
    expect(result.nextOffset).toBeUndefined();
  });

  it("ST-5: pages walk back through each message once while the transcript grows", async () => {
    const { history, scene } = await prepare(Array.from({ length: 95 }, (_, at) => user(`m${at}`)));
    const seen: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const result = await history({ offset, limit: 20 });
      seen.unshift(...views(result).map((view) => view.text));
      offset = result.nextOffset as number | undefined;
      await scene.write(OTHER, [user("newer")]);
    }
    expect(seen).toEqual(Array.from({ length: 95 }, (_, at) => `m${at}`));
  });

  it("ST-5: any other offset is an error that says how to page", async () => {
    const { history, scene } = await prepare([user("a"), user("b")]);
    const foreign = await scene.write(OWN, [user("own")]);
    for (const offset of [foreign, 999_999]) {
      expect(await history({ offset })).toMatchObject({ status: "error", hint: expect.stringContaining("offset 0") });
    }
    expect(await history({ offset: -1 })).toMatchObject({ status: "error" });
  });

  it("ST-8: the result stays under 80 KiB, oldest rows go first, and paging resumes at the first dropped one", async () => {
    const { history } = await prepare(Array.from({ length: 60 }, (_, at) => user(`${at}:${"é".repeat(1_900)}`)));
    const seen: number[] = [];
    let offset: number | undefined = 0;
    let dropped = 0;
    while (offset !== undefined) {
      const result = await history({ offset, limit: 60 });
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(80 * 1024);
      dropped += result.droppedMessages as number;
      seen.unshift(...views(result).map((view) => Number.parseInt(view.text, 10)));
      offset = result.nextOffset as number | undefined;
    }
    expect(dropped).toBeGreaterThan(0);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });

  it("ST-8: a block is cut at 4,000 characters, never inside one, and a row that is too large is replaced", async () => {
    const many = Array.from({ length: 30 }, () => ({ type: "text" as const, text: "z".repeat(4_000) }));
    const { history } = await prepare([user("first"), { ...user(""), parts: many }, user("😀".repeat(3_000))]);
    const newest = await history({ offset: 0, limit: 1 });
    expect(views(newest)[0]?.text).toMatch(/^(?:😀){1990,2000}… \[cut\]$/u);
    expect(newest).toMatchObject({ contentTruncated: true, droppedMessages: 0, hasMore: true });
    const both = await history({ offset: 0 });
    expect(both).toMatchObject({ droppedMessages: 2, truncated: true });
    const older = await history({ offset: both.nextOffset as number });
    expect(views(older).map((view) => view.text)).toEqual(["first", "[sessions_history omitted: message too large]"]);
    expect(older).toMatchObject({ droppedMessages: 0, contentTruncated: true, hasMore: false });
  });

  it("ST-6: assistant text is sanitised, people's text is not", async () => {
    const { history } = await prepare([
      user("<think>mine</think> stays"),
      assistant("<think>hidden</think>Visible <|im_end|>"),
      assistant("<tool_call>{}</tool_call>"),
    ]);
    expect(views(await history()).map((view) => view.text)).toEqual(["<think>mine</think> stays", "Visible"]);
  });

  it("ST-6: a block of reasoning that goes on in the message's next text is removed in both", async () => {
    const { history } = await prepare([
      assistant("Sure. <think>first secret", { type: "text", text: "second secret</think>Visible" }),
    ]);
    expect(views(await history()).map((view) => view.text)).toEqual(["Sure. Visible"]);
  });

  it("ST-9, ST-7, ST-8: tool calls and results are masked and cut like text, and say so", async () => {
    const { history } = await prepare([
      assistant("", {
        ...{ type: "tool_call", callId: "1", name: "exec", args: { key: "AKIAABCDEFGHIJKLMNOP" }, providerData: null },
      }),
      toolMessage("zz ".repeat(3_000)),
    ]);
    const result = await history({ includeTools: true });
    expect(result).toMatchObject({ contentRedacted: true, contentTruncated: true, truncated: true });
    expect(JSON.stringify(result)).not.toContain("AKIAABC");
    const parts = views(result) as unknown as { toolResults?: { result: string }[] }[];
    expect(parts[1]?.toolResults?.[0]?.result).toMatch(/^"(?:zz ){1300,}z{0,2}… \[cut\]$/);
    expect(views(await history())).toEqual([]);
  });

  it("ST-8, ST-5: what is small is given whole, and every flag says so", async () => {
    const { history } = await prepare([user("a"), assistant("b")]);
    const result = await history();
    expect(result).toMatchObject({
      ...{ truncated: false, droppedMessages: 0, contentTruncated: false, contentRedacted: false },
      bytes: expect.any(Number),
    });
    expect(result.bytes).toBe(Buffer.byteLength(JSON.stringify(result.messages)));
    expect(await history({ offset: 0 })).toMatchObject({ hasMore: false });
  });

  it("ST-7, FC-178, FC-179: credentials are masked on the way out and stay in the store", async () => {
    const secret = testSettings({
      tools: { sessions: { visibility: "agent" } },
      http: { token: "correct-horse-battery-staple" },
    });
    const scene = new ToolScene(await open(), secret);
    await scene.session(OWN);
    await scene.session(OTHER);
    await scene.write(OTHER, [assistant("it is correct-horse-battery-staple"), toolMessage("AKIAABCDEFGHIJKLMNOP")]);
    const { result } = await (await scene.turn(OWN)).call("sessions_history", {
      sessionKey: OTHER,
      includeTools: true,
    });
    expect(result.contentRedacted).toBe(true);
    expect(JSON.stringify(result)).not.toMatch(/horse|AKIAABC/);
    const own = await (await scene.turn(OTHER)).call("sessions_history", { sessionKey: "current" });
    expect(own.result.contentRedacted).toBe(true);
  });

  it("ST-9: tools only when asked for; images and reasoning never", async () => {
    const image = `data:image/png;base64,${"A".repeat(3_000)}`;
    const { history } = await prepare([
      user("go"),
      assistant(
        "looking",
        { type: "reasoning", text: "private", providerData: { signature: "sig" } },
        { type: "tool_call", callId: "1", name: "exec", args: { cmd: "ls" }, providerData: null },
      ),
      toolMessage(image),
    ]);
    expect(views(await history())).toHaveLength(2);
    const full = JSON.stringify(await history({ includeTools: true }));
    expect(full).toContain("exec");
    expect(full).toContain("[image omitted]");
    expect(full).not.toMatch(/AAAA|private|sig"/);
  });

  it("TN-13: an old life is read by its session id after a reset", async () => {
    const { history, scene } = await prepare([user("before")]);
    const { sessionId } = await scene.read(OTHER);
    await scene.store.step(resetSession, { sessionKey: key(OTHER), cause: "c", actor: "ann", archiveAfterMs: null });
    expect(views(await history())).toEqual([]);
    expect(views(await history({ sessionKey: sessionId })).map((view) => view.text)).toEqual(["before"]);
  });
});
