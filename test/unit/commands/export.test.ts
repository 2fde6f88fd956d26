import { expect, it } from "vitest";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { deliveryFromRow } from "../../../src/store/rows.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, inGroup } from "./desk.ts";

const talk = defineStep("talk", "normal", async (context, key: string) => {
  const session = await context.db
    .selectFrom("sessions")
    .select("session_id")
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  const assistant = { kind: "assistant", agentId: "main", model: "demo/switchyard" } as const;
  const photo = { name: "cat.png", mime: "image/png", bytes: 12, sha256: "0" };
  await insertMessages(context, { sessionId: session.session_id, sessionKey: key as SessionKey, turnId: null }, [
    {
      role: "user",
      parts: [
        { type: "text", text: "my key is sk-abcdefghijklmnopqrstuvwxyz123456" },
        { type: "attachment", attachment: photo },
      ],
      provenance: {
        kind: "human",
        sender: { channel: "telegram", accountId: "default", id: "111" },
        senderName: "Ann",
        messageId: "1",
      },
      usage: null,
    },
    {
      role: "assistant",
      parts: [
        { type: "text", text: `<think>secret plan</think>${"long ".repeat(2_000)}end` },
        { type: "tool_call", callId: "c", name: "sessions_list", args: { limit: 1 }, providerData: null },
      ],
      provenance: assistant,
      usage: null,
    },
  ]);
});
const files = defineRead("files", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().orderBy("id").execute())
    .map(deliveryFromRow)
    .flatMap(({ content, key }) => (content.kind === "file" ? [{ key, ...content }] : [])),
);

const texts = defineRead("texts", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().orderBy("id").execute())
    .map(deliveryFromRow)
    .flatMap(({ content }) => (content.kind === "message" ? [content.piece.plain] : [])),
);

describeOnEveryStore("/export", (open) => {
  async function prepare() {
    const kept: string[] = [];
    const desk = new Desk(
      await open(),
      {},
      {
        storeFile: async ({ name, mime, bytes }) => {
          kept.push(Buffer.from(bytes).toString("utf8"));
          return { name, mime, bytes: bytes.length, sha256: "0" };
        },
      },
    );
    return { desk, kept };
  }

  it("CM-6: gives the owner the whole transcript as a file, sanitised and redacted, with files named", async () => {
    const { desk, kept } = await prepare();
    await desk.write("hello");
    await desk.test.store.step(talk, annKey);
    await desk.write("/export html");
    await desk.dispatch.handle(annKey, { released: (wait) => wait() }, new AbortController().signal);
    const [file] = await desk.test.store.read(files, null);
    expect(file).toMatchObject({ file: { name: expect.stringMatching(/^session-\w{8}\.html$/), mime: "text/html" } });
    const [text = ""] = kept;
    expect(text).toContain("[redacted:");
    expect(text).toContain("[Attachment cat.png, image/png, 12 bytes]");
    expect(text).toContain("long end");
    expect(text).toContain("calls sessions_list");
    expect(text).not.toMatch(/sk-abc|secret plan/);
  });

  it("CM-6: a group gets what was said in it, without tool calls; others than owners get nothing", async () => {
    const { desk, kept } = await prepare();
    await desk.write("hello", inGroup());
    await desk.write("@bot hello", { ...inGroup(), mentions: { bot: true } });
    await desk.test.store.step(talk, groupKey);
    await desk.write("/export", inGroup());
    await desk.dispatch.handle(groupKey, { released: (wait) => wait() }, new AbortController().signal);
    expect(kept[0]).toContain("long end");
    expect(kept[0]).not.toContain("sessions_list");
    await desk.write("/export", { sender: bob, peer: { kind: "direct", id: "222", label: null } });
    await desk.dispatch.handle(bobKey, { released: (wait) => wait() }, new AbortController().signal);
    expect((await desk.test.store.read(texts, null)).at(-1)).toContain("Only owners can use");
    expect(kept).toHaveLength(1);
  });
});
