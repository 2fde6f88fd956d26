import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";
import { logStateEvent } from "./log-state-event.ts";

/**
 * Part of the step that accepts a person's message into a session that somebody may be watching: it is logged, and they are
 * told, only when somebody is (SL-3). Nothing of the message stands in it (SL-1).
 */
export async function noteDirectMessage(
  context: StepContext,
  message: { readonly sessionKey: SessionKey; readonly actor: string; readonly channel: string },
): Promise<void> {
  const { db } = context;
  const { sessionKey, actor, channel } = message;
  const watcher = await db.selectFrom("watchers").select("watcher").where("target", "=", sessionKey).executeTakeFirst();
  if (watcher === undefined) {
    await db.updateTable("sessions").set({ watched: 0 }).where("key", "=", sessionKey).execute();
    return;
  }
  await logStateEvent(context, {
    sessionKey,
    kind: "human_direct_message",
    actorType: "human",
    actor,
    runId: null,
    summary: `A person wrote on ${channel}`,
    payload: { channel },
  });
}
