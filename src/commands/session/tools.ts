import { z } from "zod";
import { sessionModel } from "../../sessions/session-model.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

/** `/tools [verbose]`: exactly what a turn of the sender here would have; verbose, also which layer took the rest away (TP-3). */
export const toolsCommand = defineCommand({
  name: "tools",
  group: "session",
  summary: "The tools the agent has for you here",
  arguments: [{ name: "detail", description: "what each does, and why others are missing", choices: ["verbose"] }],
  input: z.object({ detail: z.literal("verbose").optional() }),
  role: "user",
  execute: async ({ detail }, context) => {
    const { settings, effectiveTools } = context.services;
    const own = await ownSession(context);
    const model = sessionModel(settings, own.agent, own.session);
    const { tools, removed, emptyBy } = effectiveTools({ settings, ...own, rights: context.rights, model });
    if (emptyBy !== null) return { text: `The agent has no tools here: ${emptyBy} leaves none.` };
    const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    if (detail === undefined) {
      const names = tools.map((tool) => `\`${tool.name}\``).join(", ");
      const more = "`/tools verbose` says what they do and why others are missing.";
      return {
        text: tools.length === 0 ? `The agent has no tools here. ${more}` : `${count} here: ${names}.\n${more}`,
      };
    }
    const kept = tools.map((tool) => `- \`${tool.name}\` ${firstSentence(tool.description)}`);
    const missing = removed.map(({ tool, layer }) => `- \`${tool}\`: ${layer}`);
    return {
      text: [
        `**${count} here**`,
        ...kept,
        ...(missing.length === 0 ? [] : ["", "**Not here**, and what removed each", ...missing]),
      ].join("\n"),
    };
  },
});

function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
