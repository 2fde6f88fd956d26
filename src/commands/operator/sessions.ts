import { z } from "zod";
import { roughDuration } from "../../core/time.ts";
import { listSessions } from "../../store/reads/sessions/list.ts";
import { defineCommand } from "../command.ts";

const SHOWN = 20;

/**
 * `/sessions [search]` (CM-6): the newest sessions by name and key, no text of any. Everybody's for the admin alone; where
 * others read along only what belongs to the conversation.
 */
export const sessionsCommand = defineCommand({
  name: "sessions",
  group: "administration",
  summary: "The sessions there are, newest first",
  arguments: [{ name: "search", description: "part of a key, label or name", rest: true, suggests: "session" }],
  input: z.object({ search: z.string().optional() }),
  role: "admin",
  execute: async ({ search }, { services, sessionKey, inPrivate }) => {
    const found = await services.store.read(listSessions, {
      scope: { own: sessionKey, lineage: true, agents: inPrivate ? "all" : [] },
      kinds: null,
      label: null,
      agentId: null,
      search: search ?? null,
      activeSince: null,
      archived: "all",
      pinned: null,
      spawnedBy: null,
      behind: null,
      limit: SHOWN + 1,
      offset: 0,
    });
    if (found.length === 0) {
      return {
        text: search === undefined ? "There are no sessions yet." : `No session matches "${search}".`,
        private: true,
      };
    }
    const now = services.clock.now();
    const lines = found.slice(0, SHOWN).map(({ session, status }) => {
      const name = session.displayName ?? session.label;
      const flags = [session.pinned ? ", pinned" : "", session.archivedAt === null ? "" : ", archived"].join("");
      const here = session.key === sessionKey ? ", here" : "";
      const age = roughDuration(Math.max(0, now - session.updatedAt));
      return `- ${name === null ? "" : `**${name}** `}\`${session.key}\`: ${status}${flags}${here}, ${age} ago`;
    });
    const hidden = inPrivate ? [] : ["Where others read along only this session and what it started are named."];
    const more = found.length > SHOWN ? [`The newest ${SHOWN}; \`/sessions <search>\` finds others.`] : [];
    return { text: [...lines, ...more, ...hidden].join("\n"), private: true };
  },
});
