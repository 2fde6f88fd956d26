import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatRequest, say } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

/** The smallest picture there is: one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules([/./, ({ inputs, request }) => say(`${inputs.length} input, ${imagesIn(request)} pictures.`)]),
    config: ({ model }) => ({
      models: {
        providers: {
          emulated: {
            type: "openai-compatible",
            baseUrl: model.url,
            apiKey: "none",
            models: { small: { images: true } },
          },
        },
      },
    }),
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

function lastUser(request: ChatRequest): readonly { readonly type: string; readonly text?: string }[] {
  const content = request.messages.findLast((message) => message.role === "user")?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function imagesIn(request: ChatRequest): number {
  return lastUser(request).filter((part) => part.type === "image_url").length;
}

function textIn(request: ChatRequest): string {
  return lastUser(request)
    .map((part) => part.text ?? "")
    .join("\n");
}

test("IN-12: an album is one input with all its pictures", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.sendsAlbum("two of them", [
    { name: "one.png", bytes: PNG },
    { name: "two.png", bytes: Buffer.concat([PNG, Buffer.from([0])]) },
  ]);
  await dm.botSays({ matching: "1 input, 2 pictures." });
  expect(textIn(bridge.model.requests.at(-1) as ChatRequest)).toContain("two of them");
});

test("FC-122: of a photo and a document one cannot be fetched: the agent reads which and why, and gets the other", async () => {
  const { tg } = bridge;
  const dm = bridge.bob.dm(bridge.bot);
  tg.fails(
    { kind: "refusal", code: 400, description: "Bad Request: wrong file_id or the file is temporarily unavailable" },
    { method: "getFile" },
  );
  dm.sendsAlbum("look at these", [
    { name: "plan.pdf", bytes: "%PDF-1.4 plan", as: "document" },
    { name: "roof.png", bytes: PNG },
  ]);
  await dm.botSays({ matching: "1 input, 1 pictures." });
  const text = textIn(bridge.model.requests.at(-1) as ChatRequest);
  expect(text).toMatch(/\[Attachment "plan\.pdf" is not available: .+\]/);
  expect(text).not.toContain('roof.png" is not available');
});

test("IN-12: a picture sent on the web page reaches a model that takes pictures", async () => {
  const channel = await bridge.web.channel("Pictures");
  await channel.says("here it is", { files: [new File([PNG], "roof.png", { type: "image/png" })] });
  await channel.hears("1 input, 1 pictures.");
});
