import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionModel } from "../../sessions/context-window.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const texts = sessionTexts.tools;

/** `/tools [verbose]`: exactly what a turn of the sender here would have; verbose, also which layer took the rest away (TP-3). */
export const toolsCommand = defineCommand({
  name: "tools",
  group: "session",
  summary: texts.summary,
  arguments: [{ name: "detail", description: texts.detail, choices: ["verbose"] }],
  input: z.object({ detail: z.literal("verbose").optional() }),
  role: "user",
  execute: async ({ detail }, context) => {
    const { settings, effectiveTools } = context.services;
    const own = await ownSession(context);
    const model = sessionModel(settings, own.agent, own.session);
    const { tools, removed, emptyBy } = effectiveTools({ settings, ...own, rights: context.rights, model });
    if (emptyBy !== null) return { text: texts.emptyBy(emptyBy) };
    if (detail === undefined) {
      const names = tools.map((tool) => `\`${tool.name}\``).join(", ");
      return { text: tools.length === 0 ? texts.none : texts.list(tools.length, names) };
    }
    const kept = tools.map((tool) => `- \`${tool.name}\` ${firstSentence(tool.description)}`);
    const missing = removed.map(({ tool, layer }) => `- \`${tool}\`: ${layer}`);
    return {
      text: [texts.title(tools.length), ...kept, ...(missing.length === 0 ? [] : ["", texts.missing, ...missing])].join(
        "\n",
      ),
    };
  },
});

function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
