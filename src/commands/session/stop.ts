import { z } from "zod";
import { sessionTexts } from "../../core/texts/commands/session.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { stopSession } from "../../store/steps/sessions/stop-session.ts";
import { archiveAfterOf } from "../../subagents/control.ts";
import { defineCommand } from "../command.ts";

/** `/stop` (TN-8): aborts what runs here and below it, drops what waits, and says the true numbers. */
export const stop = defineCommand({
  name: "stop",
  group: "conversation",
  summary: sessionTexts.stop.summary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, { services, sessionKey, seq }) => {
    const session = await services.store.read(sessionByKey, sessionKey);
    if (session === null) return { text: sessionTexts.stop.nothing };
    const stopped = await services.store.step(stopSession, {
      sessionKey,
      before: seq,
      archiveAfterMs: archiveAfterOf(services.settings, session.agentId),
    });
    // The rows say what was ended; this only makes the calls under way end within a second.
    services.liveTurns.abort([...(stopped.turn ? [sessionKey] : []), ...stopped.sessions], "stopped");
    const runs = stopped.runs.length;
    const isNothing = !stopped.turn && runs === 0 && stopped.dropped === 0 && stopped.chains === 0;
    if (isNothing) return { text: sessionTexts.stop.nothing };
    return { text: sessionTexts.stop.stopped({ runs, dropped: stopped.dropped }) };
  },
});
