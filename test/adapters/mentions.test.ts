import { describe, expect, it } from "vitest";
import { allowedMentions } from "../../adapters/discord/outbound/send-once.ts";
import { renderDiscord } from "../../adapters/discord/render.ts";
import { renderSlack } from "../../adapters/slack/render.ts";
import { renderTelegram } from "../../adapters/telegram/render.ts";
import { renderWeb } from "../../adapters/web/render.ts";
import type { MdNode } from "../../src/core/text/markdown.ts";
import type { Mentionable } from "../../src/core/text/mention-people.ts";
import { prepareAnswer } from "../../src/delivery/way-out.ts";

const PLATFORMS = {
  discord: { render: (nodes: readonly MdNode[]) => renderDiscord(nodes).markdown, ben: "111", stranger: "999" },
  slack: { render: (nodes: readonly MdNode[]) => renderSlack(nodes).mrkdwn, ben: "U0BEN0001", stranger: "U0STRANGE" },
  telegram: { render: (nodes: readonly MdNode[]) => renderTelegram(nodes).html, ben: "111", stranger: "999" },
  web: { render: (nodes: readonly MdNode[]) => renderWeb(nodes).html, ben: "111", stranger: "999" },
} as const;

/** How each platform is told of Ben. */
const BEN = {
  discord: "<@111>",
  slack: "<@U0BEN0001>",
  telegram: '<a href="tg://user?id=111">@Ben Lee</a>',
  web: "@Ben Lee",
};

function answer(name: keyof typeof PLATFORMS, text: string): { readonly shown: string; readonly notifies: boolean } {
  const { render, ben, stranger } = PLATFORMS[name];
  const people: readonly Mentionable[] = [
    { id: ben, names: ["Ben Lee", "ben"] },
    { id: `${ben}7`, names: ["Sam"] },
    { id: `${ben}8`, names: ["Sam", "sammy"] },
    { id: `${ben}9`, names: ["田中"] },
  ];
  const renderer = {
    maxLength: 4_000,
    notifies: true,
    render: (nodes: readonly MdNode[]) => ({ rich: render(nodes), plain: "", length: 1 }),
  } as const;
  const said = text.replaceAll("BEN", ben).replaceAll("STRANGER", stranger);
  const prepared = prepareAnswer({ text: said, renderer, maxChunks: 1, people });
  if (prepared.kind === "silent") throw new Error("silent");
  const [piece] = prepared.pieces;
  return { shown: piece?.rich ?? "", notifies: piece?.notifies === true };
}

const names = Object.keys(PLATFORMS) as (keyof typeof PLATFORMS)[];

describe("mentions that an agent writes", () => {
  describe.each(names)("on %s", (name) => {
    it.each([
      ["by id", "<@BEN> please look"],
      ["by id with a mark", "<@!BEN> please look"],
      ["by the shown name", "@Ben Lee please look"],
      ["by the other name, in any case", "@BeN please look".replace("BeN", "bEn")],
      ["by name and id, as it was read", "@Ben Lee (BEN) please look"],
    ])("FC-213, DL-8: a person of the conversation is mentioned %s", (_how, text) => {
      const { shown, notifies } = answer(name, text);
      expect(shown).toContain(`${BEN[name]} please look`);
      expect(notifies).toBe(true);
    });

    it.each([
      ["a stranger by id", "<@STRANGER> please look"],
      ["a stranger by name", "@stranger please look"],
      ["a longer name", "@bender please look"],
      ["a name that two people have", "@Sam please look"],
      ["an address", "write to me@ben.example"],
      ["code", "`<@BEN>` and `@ben`"],
      ["a link", "[@ben](https://ben.example)"],
      ["everyone", "@everyone <!channel> <@&BEN>"],
    ])("FC-213, DL-8: %s is plain text", (_what, text) => {
      const { shown, notifies } = answer(name, text);
      expect(notifies).toBe(false);
      expect(shown).not.toContain("tg://user");
      // Outside of code nothing is left that the platform would read as a mention.
      const open = shown.replaceAll(/<code>.*?<\/code>|`[^`]*`/g, "");
      if (name === "discord") expect(open).not.toMatch(/(?<!\\)<@[!&]?\d/);
      if (name === "slack") expect(open).not.toMatch(/<[@!]/);
      if (name === "telegram") expect(open.replaceAll(/<a [^>]*>.*?<\/a>/g, "")).not.toMatch(/(?<!\w)@[a-z]\w{3,}/i);
    });

    it("FC-213: several people, marks, and a script without spaces", () => {
      const { shown } = answer(name, "**@ben** and @sammy, @田中さん");
      const at = { discord: "<@1119>", slack: "<@U0BEN00019>", telegram: "tg://user?id=1119", web: "@田中" }[name];
      expect(shown).toContain(at);
      expect(shown).toContain({ ...BEN, telegram: '<a href="tg://user?id=111"><b>@Ben Lee</b></a>' }[name]);
    });
  });

  it("DL-8: Discord notifies the people of the message and no one else", () => {
    expect(allowedMentions("<@1> and \\<@2> and `<@3>` <@&4> <@1>")).toEqual({
      parse: [],
      users: ["1"],
      replied_user: false,
    });
  });
});
