import { z } from "zod";
import { modelFacts, modelRefText } from "../../core/models.ts";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionModel } from "../../sessions/context-window.ts";
import { defineCommand } from "../command.ts";
import { ownSession } from "./own-session.ts";

const texts = sessionTexts.context;
/** A rule of thumb for ordinary text; the status card has the provider's own count. */
const CHARACTERS_PER_TOKEN = 4;

/** `/context`: what the next turn's model would be given, part by part, with sizes; no part's text (TN-18). */
export const contextCommand = defineCommand({
  name: "context",
  group: "session",
  summary: texts.summary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, context) => {
    const { services, sessionKey, rights } = context;
    const { session, agent } = await ownSession(context);
    const parts = await services.describeContext(sessionKey, rights);
    const total = parts.reduce((sum, { characters }) => sum + characters, 0);
    const model = sessionModel(services.settings, agent, session);
    const { contextTokens } = modelFacts(services.settings.models, model);
    const tokens = Math.round(total / CHARACTERS_PER_TOKEN);
    return {
      text: [
        `| ${texts.part} | ${texts.characters} |\n|---|--:|`,
        ...parts.map(({ part, characters }) => `| ${part} | ${count(characters)} |`),
        `| **${texts.all}** | **${count(total)}** |`,
        "",
        texts.total(count(tokens), count(contextTokens), modelRefText(model)),
      ].join("\n"),
    };
  },
});

function count(size: number): string {
  return size.toLocaleString("en-US");
}
