import { z } from "zod";
import { nameInChat } from "../../core/text/visible.ts";
import { operatorTexts } from "../../core/texts/commands/operator.ts";
import { roughDuration } from "../../core/time.ts";
import { listSessions } from "../../store/reads/sessions/list.ts";
import { defineCommand } from "../command.ts";

const SHOWN = 20;
const texts = operatorTexts.sessions;

/**
 * `/sessions [search]` (CM-6): the newest sessions by name and key, without their text. All sessions for the admin alone; where
 * others read along only what belongs to the conversation.
 */
export const sessionsCommand = defineCommand({
  name: "sessions",
  group: "administration",
  summary: texts.summary,
  arguments: [{ name: "search", description: texts.search, rest: true, suggests: "session" }],
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
        text: search === undefined ? texts.none : texts.noMatch(nameInChat(search)),
        private: true,
      };
    }
    const now = services.clock.now();
    const lines = found.slice(0, SHOWN).map(({ session, status }) => {
      const name = session.displayName ?? session.label;
      const flags = [
        session.pinned ? texts.pinned : "",
        session.archivedAt === null ? "" : texts.archived,
        session.key === sessionKey ? texts.here : "",
      ].join("");
      const age = roughDuration(Math.max(0, now - session.updatedAt));
      return texts.line(name === null ? null : nameInChat(name), session.key, status, flags, age);
    });
    const hidden = inPrivate ? [] : [texts.onlyHere];
    const more = found.length > SHOWN ? [texts.more(SHOWN)] : [];
    return { text: [...lines, ...more, ...hidden].join("\n"), private: true };
  },
});
