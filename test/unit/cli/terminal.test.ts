import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { table } from "../../../src/cli/output.ts";
import { asSessionKey } from "../../../src/core/session/session-key.ts";
import { quotedName, visibleJson, visibleLine, visibleText } from "../../../src/core/text/visible.ts";
import { askPairing } from "../../../src/store/parts/pairing-ask.ts";
import { defineStep } from "../../../src/store/store.ts";
import { type CliScene, cliScene } from "../../support/cli-scene.ts";
import { seedDelivery, seededAsk, seedRefusal, seedSession } from "../../support/store-seeds.ts";

let scene: CliScene | null = null;
afterEach(async () => {
  await scene?.close();
  scene = null;
});

/** Written out here on its own, so that the product's list cannot vouch for itself. */
const HOSTILE: readonly string[] = [
  ...["\u001b", "\u009b", "\u0007", "\u0008", "\r", "\u007f", "\u0085", "\u2028", "\u202e", "\u2066", "\u2069"],
  ...[
    "\u200b",
    "\u200d",
    "\u200f",
    "\u061c",
    "\u00ad",
    "\ufeff",
    "\u3164",
    "\uffa0",
    "\u{e0041}",
    "\u{e007f}",
    "\ud800",
  ],
];
const CLEAR = "\u001b[2J\u001b[H";

function unseenIn(text: string): readonly string[] {
  return HOSTILE.filter((one) => (one === "\ud800" ? !text.isWellFormed() : text.includes(one)));
}

const hostileText = fc.array(fc.oneof(fc.constantFrom(...HOSTILE, "\n", "\t", '"', "\\", "a", "Ω", "é"), fc.string()), {
  maxLength: 40,
});

describe("FC-408: what people wrote cannot act on a terminal", () => {
  test("any text is printed without controls, direction marks and zero widths; line breaks stay", () => {
    fc.assert(
      fc.property(hostileText, (parts) => {
        const text = parts.join("");
        expect(unseenIn(visibleText(text))).toEqual([]);
        expect(visibleText(text).split("\n")).toHaveLength(text.split("\n").length);
        expect(visibleText(visibleText(text))).toBe(visibleText(text));
      }),
    );
  });

  test("any name is one quoted word on one line that ends at its own last quote", () => {
    fc.assert(
      fc.property(hostileText, (parts) => {
        const shown = quotedName(parts.join(""));
        expect(unseenIn(shown)).toEqual([]);
        expect(shown).toMatch(/^"(?:[^"\\\n\t]|\\["\\nt]|\\u\{[0-9a-f]+\})*"$/);
      }),
    );
  });

  test("JSON holds none of it and parses to the same value", () => {
    fc.assert(
      fc.property(hostileText, (parts) => {
        const json = visibleJson(JSON.stringify({ name: parts.join("") }));
        expect(unseenIn(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual({ name: parts.join("") });
      }),
    );
  });

  test("a table has a line for each row, whatever its cells are", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { maxLength: 5 }), (rows) => {
        const shown = table(
          ["id", "name"],
          rows.map((parts, index) => [String(index), parts.join("")]),
        );
        expect(shown.split("\n")).toHaveLength(rows.length + 1);
      }),
    );
  });

  test("ordinary writing stays as it is: accents, right-to-left letters, CJK, emoji of several parts", () => {
    for (const text of ["naïve Ünïcode", "שלום مرحبا", "漢字かな", "👨‍👩‍👧 🏳️‍🌈 👍🏽 ❤️", "tab\tstop"]) {
      expect(visibleText(text)).toBe(text);
    }
    expect(visibleLine("a\nb")).toBe("a\\nb");
  });

  test("no command prints it: pairing, sessions, history, export, deliveries, why, and their JSON", async () => {
    const name = `Mallory${CLEAR}\ntelegram/default  AAAA1111  1  0 s  Carol (your boss)\u202e\u009b31m\u200b`;
    const key = asSessionKey("agent:main:telegram:direct:111");
    if (key === null) throw new Error("not a key");
    const route = { channel: "telegram", accountId: "default", to: "111", threadId: null };
    const at = cliScene();
    scene = at;
    const store = await at.serve();
    await store.step(askHostile, name);
    await store.step(seedSession, { key, route, text: name });
    await store.step(seedRefusal, `https://t.me/c/1/5${CLEAR}`);
    const piece = { rich: name, plain: name };
    const content = { kind: "message", piece, replyTo: null, private: false } as const;
    const delivery = { key: "a", route, content };
    const id = await store.step(seedDelivery, { delivery, state: "failed", reason: null });
    const commands = [
      ["pairing", "list"],
      ["sessions"],
      ["history", key],
      ["export", key],
      ["export", key, "--raw"],
      ["deliveries"],
      ["deliveries", "show", String(id)],
      ["why", `${CLEAR}5`],
      ["status"],
      ["pairing", "deny", "telegram", "ABCD2345"],
    ];
    for (const command of commands) {
      for (const args of command.includes("deny") ? [command] : [command, [...command, "--json"]]) {
        const { out, err } = await at.run(...args);
        expect(unseenIn(out + err), args.join(" ")).toEqual([]);
      }
    }
  });

  test("a name cannot forge a row of the pairing list", async () => {
    const at = cliScene();
    scene = at;
    const store = await at.serve();
    await store.step(askHostile, "Mallory\ntelegram/default  AAAA1111  1  0 s  Carol");
    const { out } = await at.run("pairing", "list");
    expect(out.split("\n")).toHaveLength(2);
    expect(out).toMatch(/ABCD2345 {2}222 {2}0 s {2}"Mallory\\ntelegram\/default .* Carol"$/);
  });
});

const askHostile = defineStep("ask-hostile", "normal", async (context, senderName: string) => {
  const person = { channel: "telegram", accountId: "default", senderId: "222", senderName };
  await askPairing(context, { ...seededAsk("ABCD2345", context.now), ...person });
});
