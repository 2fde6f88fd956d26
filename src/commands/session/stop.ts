import { z } from "zod";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { stopSession } from "../../store/steps/sessions/stop-session.ts";
import { archiveAfterOf } from "../../subagents/control.ts";
import { defineCommand } from "../command.ts";

/** `/stop` (TN-8): aborts what runs here and below it, drops what waits, and says the true numbers. */
export const stop = defineCommand({
  name: "stop",
  group: "conversation",
  summary: "Stop what is running here, and its helpers",
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: async (_args, { services, sessionKey, seq }) => {
    const session = await services.store.read(sessionByKey, sessionKey);
    if (session === null) return { text: "Nothing was running." };
    const stopped = await services.store.step(stopSession, {
      sessionKey,
      before: seq,
      archiveAfterMs: archiveAfterOf(services.settings, session.agentId),
    });
    // The rows say what was ended; this only makes the calls under way end within a second.
    services.liveTurns.abort([...(stopped.turn ? [sessionKey] : []), ...stopped.sessions], "stopped");
    const parts = [
      stopped.turn ? "the running turn" : "",
      counted(stopped.runs.length, "helper", "helpers"),
      stopped.dropped > 0 ? `${counted(stopped.dropped, "waiting message", "waiting messages")} (dropped)` : "",
    ].filter((part) => part !== "");
    return { text: parts.length === 0 ? "Nothing was running." : `Stopped: ${parts.join(", ")}.` };
  },
});

function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
