import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeliveryContent } from "../../../src/core/delivery/delivery.ts";
import { type AnswerText, answerDeliveries, prepareAnswer, preparePreview } from "../../../src/delivery/way-out.ts";
import { chatRenderer } from "./chat-adapter.ts";
import { routeTo } from "./outbox.ts";

const ROUTE = routeTo("a", { threadId: "55" });

function prepare(text: string, changes: Partial<AnswerText> = {}) {
  return prepareAnswer({ text, renderer: chatRenderer, maxChunks: 8, ...changes });
}

function piecesOf(text: string, changes: Partial<AnswerText> = {}): string[] {
  const prepared = prepare(text, changes);
  return prepared.kind === "pieces" ? prepared.pieces.map((piece) => piece.plain) : [];
}

async function deliveries(text: string, replyToMode: "off" | "first" | "all", changes: Partial<AnswerText> = {}) {
  const stored: { name: string; text: string }[] = [];
  const made = await answerDeliveries(prepare(text, changes), {
    route: ROUTE,
    keyAt: (position) => `turn:t1:${position}`,
    replyTo: "7",
    replyToMode,
    private: false,
    storeFile: async ({ name, mime, bytes }) => {
      stored.push({ name, text: Buffer.from(bytes).toString("utf8") });
      return { name, mime, bytes: bytes.length, sha256: "s" };
    },
  });
  return { made, stored };
}

const long = (pieces: number): string =>
  Array.from({ length: pieces }, (_, n) => `Part ${n} ${"x".repeat(185)}`).join("\n\n");

describe("the way out", () => {
  it.each([
    ["TN-9: NO_REPLY sends nothing", "NO_REPLY", "control_word"],
    ["TN-9: in any case, with space around it", "  no_reply \n", "control_word"],
    ["FC-029: no path posts ANNOUNCE_SKIP", "ANNOUNCE_SKIP", "control_word"],
    ["FC-029: nor REPLY_SKIP behind reasoning", "<think>should I?</think>REPLY_SKIP", "control_word"],
    ["DL-10: empty", "", "empty"],
    ["DL-10: white space", " \n\t ", "empty"],
    ["DL-10: markup only", "**\u200b**\n\n---", "empty"],
    ["DL-10: nothing but reasoning", "<think>let me see</think>", "empty"],
    ["DL-11: nothing but a tool call as text", "<tool_call>{}</tool_call>", "empty"],
  ])("%s", (_name, text, reason) => {
    expect(prepare(text)).toEqual({ kind: "silent", reason });
  });

  it("FC-030: a real No is delivered", () => {
    expect(piecesOf("No")).toEqual(["No"]);
  });

  it("FC-109: reasoning in the text never shows, also when it is not closed", () => {
    expect(piecesOf("<think>a</think>b")).toEqual(["b"]);
    expect(piecesOf("b<think>and now")).toEqual(["b"]);
  });

  it("DL-10: reasoning shows as a quote only when it is given, and never alone", () => {
    expect(piecesOf("b", { reasoning: "because\nof a" })).toEqual(["> because\n> of a\n\nb"]);
    expect(prepare("NO_REPLY", { reasoning: "why" }).kind).toBe("silent");
  });

  it("FC-110: a control word inside an answer is stripped, the answer stays", () => {
    expect(piecesOf("Done. NO_REPLY")).toEqual(["Done."]);
  });

  it("DL-8: broadcast mentions are inert in both forms", () => {
    const prepared = prepare("hi @everyone and &#64;here");
    const [piece] = prepared.kind === "pieces" ? prepared.pieces : [];
    for (const form of [piece?.plain, piece?.rich]) expect(form).not.toMatch(/@(everyone|here)/);
  });

  it("FC-064: each piece is rendered twice from the same part of the source", () => {
    const prepared = prepare(long(5));
    const pieces = prepared.kind === "pieces" ? prepared.pieces : [];
    expect(pieces).toHaveLength(5);
    for (const piece of pieces) expect(piece.rich).toBe(`<p>${piece.plain}</p>`);
  });

  it("FC-172: at the limit one message, one more and it is two", () => {
    expect(piecesOf("x".repeat(200))).toHaveLength(1);
    expect(piecesOf("x".repeat(201))).toHaveLength(2);
  });

  it("FC-067: twenty short lines are one message", () => {
    expect(piecesOf(Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n"))).toHaveLength(1);
  });

  it("DL-6: exactly maxChunks pieces need no file; what is more goes as one, with its code fences", async () => {
    expect((await deliveries(long(8), "first")).made).toHaveLength(8);
    const { made, stored } = await deliveries(`${long(8)}\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n\n**end**`, "first");
    expect(made.map((delivery) => delivery.content.kind)).toEqual([...Array(8).fill("message"), "file"]);
    expect(stored).toEqual([{ name: "answer.md", text: "```ts\nconst a = 1;\n```\n\n**end**" }]);
  });

  it("DL-2: keys come from the position, and every piece carries the whole route", async () => {
    const { made } = await deliveries(long(9), "first");
    expect(made.map((delivery) => delivery.key)).toEqual(Array.from({ length: 9 }, (_, n) => `turn:t1:${n}`));
    for (const delivery of made) expect(delivery.route).toBe(ROUTE);
  });

  it.each([
    ["off", [null, null, null]],
    ["first", ["7", null, null]],
    ["all", ["7", "7", "7"]],
  ] as const)("DL-9: replyToMode %s", async (mode, expected) => {
    const quoted = (content: DeliveryContent): string | null => (content.kind === "message" ? content.replyTo : null);
    const { made } = await deliveries(long(3), mode);
    expect(made.map((delivery) => quoted(delivery.content))).toEqual(expected);
  });

  it("DL-7: any text whatever gives pieces within the limit, in both forms, or none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 1_500 }), (text) => {
        for (const piece of piecesOf(text, { maxChunks: 100 })) expect(piece.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 200 },
    );
  });

  it("TN-11: a preview shows the first piece only, and nothing that could become a control word", () => {
    expect(preparePreview(long(4), chatRenderer)?.plain).toMatch(/^Part 0 x+$/);
    expect(preparePreview("NO_RE", chatRenderer)).toBe(null);
    expect(preparePreview(" ", chatRenderer)).toBe(null);
  });
});
