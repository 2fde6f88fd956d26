import { z } from "zod";
import { nameInChat } from "../../core/text/visible.ts";
import { peopleTexts } from "../../core/texts/commands/people.ts";
import { defineCommand } from "../command.ts";

const texts = peopleTexts.whoami;

/** `/whoami`: what the access lists know the sender by, where they are and what they may do. */
export const whoami = defineCommand({
  name: "whoami",
  group: "conversation",
  summary: texts.summary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, { sender, route, rights, sessionKey }) => {
    const thread = route.threadId === null ? "" : texts.thread(route.threadId);
    return {
      text: [
        `- **${texts.you}:** ${nameInChat(sender.name)}, \`${route.channel}:${sender.id}\``,
        `- **${texts.rightsLabel}:** ${rights.role}; ${texts.rights[rights.role]}`,
        `- **${texts.conversation}:** ${route.channel}/${route.accountId} \`${route.to}\`${thread}`,
        `- **${texts.session}:** \`${sessionKey}\``,
      ].join("\n"),
    };
  },
});
