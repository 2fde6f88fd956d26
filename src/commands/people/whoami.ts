import { z } from "zod";
import type { Role } from "../../core/session/rights.ts";
import { defineCommand } from "../command.ts";

const MEANING: Record<Role, string> = {
  user: "you may use the commands for everybody",
  admin: "you may also use the commands for admins",
  owner: "you may use every command",
};

/** `/whoami`: what the access lists know the sender by, where they are and what they may do. */
export const whoami = defineCommand({
  name: "whoami",
  group: "conversation",
  summary: "Your ids, this session's key and your rights",
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, { sender, route, rights, sessionKey }) => {
    const thread = route.threadId === null ? "" : `, thread \`${route.threadId}\``;
    return {
      text: [
        `- **You:** ${sender.name}, \`${route.channel}:${sender.id}\``,
        `- **Rights:** ${rights.role}; ${MEANING[rights.role]}`,
        `- **Conversation:** ${route.channel}/${route.accountId} \`${route.to}\`${thread}`,
        `- **Session:** \`${sessionKey}\``,
      ].join("\n"),
    };
  },
});
