import { expect } from "vitest";
import type { ModelPart, ModelTool, StepEvent } from "../../src/core/model.ts";
import { type Talk, TOOLS } from "./talk.ts";

export interface Conversation {
  readonly name: string;
  /** Rejects when the server's model could not be brought to its last answer. */
  readonly play: (talk: Talk) => Promise<void>;
}

const call = (name: string, id = `call_${name}`) => ({ id, name, args: { what: "tides" } });
const thinking = { text: "Let me see.", signature: "c2lnbmVk" };
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82]);

export const picture: ModelPart = { type: "image", mime: "image/png", bytes: png };
export const tiff: ModelPart = {
  type: "image",
  mime: "image/png",
  bytes: Uint8Array.from(Buffer.from("II*\u0000 not for everybody")),
};

/** A tool as some MCP server describes it. */
export const ODD_TOOL: ModelTool = {
  name: "odd",
  description: "An odd one.",
  parameters: {
    $defs: { tag: { type: "string", pattern: "^[a-z]+$" } },
    properties: {
      tags: { type: "array" },
      tag: { $ref: "#/$defs/tag" },
      mode: { const: "fast" },
      size: { type: ["integer", "null"] },
    },
  },
};

function saysWell(done: StepEvent & { type: "done" }): void {
  expect(done.parts.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "Well." }]);
}

/** The next plain message, which must be answered. */
export async function goesOn(talk: Talk): Promise<void> {
  talk.user("And now?");
  saysWell(await talk.answers({ deltas: ["We", "ll."] }));
}

async function callsAndGoesOn(talk: Talk, ...names: readonly string[]): Promise<void> {
  await talk.answers({ thinking, calls: names.map((name) => call(name, `${name}_${talk.messages.length}`)) });
  talk.results((name) => ({ status: "ok", of: name }));
}

/** What is offered no tools calls none in words either. */
const WITHOUT_TOOLS: readonly string[] = ["vLLM", "Perplexity"];

export const CONVERSATIONS: readonly Conversation[] = [
  { name: "a message", play: goesOn },
  {
    name: "a second message",
    play: async (talk) => {
      await goesOn(talk);
      await goesOn(talk);
    },
  },
  {
    name: "thinking on",
    play: async (talk) => {
      talk.user("Think.");
      saysWell(await talk.answers({ thinking, deltas: ["Well."] }, { thinking: "high" }));
      await goesOn(talk);
    },
  },
  {
    name: "thinking off",
    play: async (talk) => {
      talk.user("Do not think.");
      saysWell(await talk.answers({ deltas: ["Well."] }, { thinking: "off" }));
    },
  },
  {
    name: "a tool",
    play: async (talk) => {
      talk.user("Look it up.");
      await callsAndGoesOn(talk, "look_up");
      saysWell(await talk.answers({ deltas: ["Well."] }));
      await goesOn(talk);
    },
  },
  {
    name: "tools in several steps, with thinking",
    play: async (talk) => {
      talk.user("Look it up and write it down.");
      await talk.answers({ thinking, call: call("look_up") }, { thinking: "low" });
      talk.results(() => ({ status: "ok" }));
      await talk.answers({ thinking, call: call("write_down") }, { thinking: "low" });
      talk.results(() => "done");
      saysWell(await talk.answers({ deltas: ["Well."] }, { thinking: "low" }));
      await goesOn(talk);
    },
  },
  {
    name: "parallel tools",
    play: async (talk) => {
      talk.user("Both.");
      const { parts } = await talk.answers({ calls: [call("look_up", "one"), call("write_down", "two")] });
      expect(parts.filter(({ type }) => type === "tool_call")).toHaveLength(2);
      talk.results(() => ({ status: "ok" }));
      saysWell(await talk.answers({ deltas: ["Well."] }));
    },
  },
  {
    name: "an odd tool schema",
    play: async (talk) => {
      talk.user("Hello.");
      saysWell(await talk.answers({ deltas: ["Well."] }, { tools: [...TOOLS, ODD_TOOL] }));
    },
  },
  {
    name: "a picture",
    play: async (talk) => {
      talk.user("Look.", picture);
      saysWell(await talk.answers({ deltas: ["Well."] }));
      await goesOn(talk);
    },
  },
  {
    name: "a picture of another type than it says",
    play: async (talk) => {
      talk.user("Look.", tiff);
      saysWell(await talk.answers({ deltas: ["Well."] }));
    },
  },
  {
    name: "twelve pictures",
    play: async (talk) => {
      for (let at = 0; at < 12; at += 1) talk.user(`Picture ${at}.`, picture);
      await goesOn(talk);
    },
  },
  {
    name: "a message in the middle of a tool loop",
    play: async (talk) => {
      talk.user("Look it up.");
      await callsAndGoesOn(talk, "look_up");
      talk.user("Quickly, please.");
      await callsAndGoesOn(talk, "write_down");
      saysWell(await talk.answers({ deltas: ["Well."] }));
    },
  },
  {
    name: "a stop between a call and its result",
    play: async (talk) => {
      talk.user("Look it up.");
      await talk.answers({ call: call("look_up") });
      talk.user("Stop.");
      await goesOn(talk);
    },
  },
  {
    name: "a failure, then the next message",
    play: async (talk) => {
      talk.user("Hello?");
      talk.breaks();
      await expect(talk.answers({ deltas: ["Well."] })).rejects.toMatchObject({ code: "unavailable" });
      talk.user("Hello again?");
      await goesOn(talk);
    },
  },
  {
    name: "a blank answer in the past",
    play: async (talk) => {
      talk.user("Hello.");
      talk.assistant({ type: "text", text: "\n\n" });
      await goesOn(talk);
    },
  },
  {
    name: "a call without a result, a result without a call",
    play: async (talk) => {
      talk.user("Hello.");
      talk.assistant({ type: "tool_call", callId: "x:1", name: "look up!", args: "{broken", providerData: null });
      talk.messages.push({
        role: "tool",
        parts: [{ type: "tool_result", callId: "gone", name: "look_up", result: "found", isError: false }],
      });
      await goesOn(talk);
    },
  },
  {
    name: "after compaction",
    play: async (talk) => {
      talk.assistant({ type: "text", text: "Summary of what came before." });
      await callsAndGoesOn(talk, "look_up");
      saysWell(await talk.answers({ deltas: ["Well."] }));
    },
  },
  {
    name: "half a character and a huge result",
    play: async (talk) => {
      talk.user("Odd \ud83d text");
      await callsAndGoesOn(talk, "look_up");
      talk.messages.pop();
      talk.results(() => ({ text: `${"x".repeat(400_000)}\ud83d` }));
      saysWell(await talk.answers({ deltas: ["Well."] }));
    },
  },
  {
    name: "a switch in the middle of a tool loop",
    play: async (talk) => {
      talk.user("Look it up.");
      talk.assistant(
        {
          type: "reasoning",
          text: "Another model's.",
          providerData: { maker: "another", signature: "eHh4", encrypted: "eHh4" },
        },
        {
          type: "tool_call",
          callId: `foreign_${"x".repeat(80)}`,
          name: "look_up",
          args: {},
          providerData: { maker: "another" },
        },
      );
      talk.results(() => ({ status: "ok" }));
      saysWell(await talk.answers({ deltas: ["Well."] }, { thinking: "low" }));
      expect(JSON.stringify(talk.bodies)).not.toMatch(/Another model's|eHh4/);
      await goesOn(talk);
    },
  },
  {
    name: "a step without tools after calls",
    play: async (talk) => {
      talk.user("Look it up.");
      await callsAndGoesOn(talk, "look_up");
      saysWell(await talk.answers({ deltas: ["Well."] }));
      talk.user("Sum it up.");
      saysWell(await talk.answers({ deltas: ["Well."] }, { tools: [] }));
    },
  },
  {
    name: "a call in words",
    play: async (talk) => {
      talk.user("Look it up.");
      const { parts } = await talk.answers({
        deltas: ['```json\n{"name": "look_up",', ' "arguments": {"what": "tides"}}\n```'],
      });
      if (talk.vendor.type === "openai-compatible" && !WITHOUT_TOOLS.includes(talk.vendor.name))
        expect(parts).toMatchObject([{ type: "tool_call", name: "look_up" }]);
      await goesOn(talk);
    },
  },
];
