import type { Settings } from "../core/settings.ts";
import type { LiveTurn } from "../sessions/live-turns.ts";
import { sessionByKey } from "../store/reads/sessions/sessions.ts";
import type { BeginTurnResult } from "../store/steps/turns/begin-turn.ts";
import { interruptTurn } from "../store/steps/turns/interrupt-turn.ts";
import { mergePolicy } from "./merge-policy.ts";
import type { TurnDeps } from "./turn-deps.ts";

/**
 * TN-3 `interrupt`: looks at every message that comes while the turn runs whether it ends it, and once when a turn is taken up
 * again: what waits then came before the crash. A look that fails leaves the message in the queue, as in `followup`.
 */
export function watchForInterrupts(
  { turn, result }: Extract<BeginTurnResult, { turn: unknown }>,
  { settings, live }: { readonly settings: Settings; readonly live: LiveTurn },
  { store, liveTurns, log, effectiveTools }: Pick<TurnDeps, "store" | "liveTurns" | "log" | "effectiveTools">,
): void {
  const { sessionKey, source } = turn;
  const look = async (): Promise<void> => {
    const session = await store.read(sessionByKey, sessionKey);
    if (session === null || mergePolicy(settings, session, effectiveTools).mode(source.route) !== "interrupt") return;
    const policy = (now: typeof session) => mergePolicy(settings, now, effectiveTools);
    const interrupted = await store.step(interruptTurn, { turnId: turn.id, fence: turn.fence, policy });
    if (interrupted) liveTurns.abort([sessionKey], "interrupted");
  };
  const safely = (): void => {
    look().catch((error: unknown) =>
      log.warn({ err: error, session: sessionKey }, "could not look for an interruption"),
    );
  };
  live.onNudge(safely);
  if (result !== "begun") safely();
}
