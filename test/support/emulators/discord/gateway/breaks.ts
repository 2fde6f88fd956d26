import type { BotRecord } from "../records.ts";

/** What can happen to an open gateway connection. */
export type GatewayBreak =
  /** Closed with this code. */
  | { kind: "close"; code: number; reason?: string }
  /** Cut without a close frame. */
  | { kind: "cut" }
  /** Asked to reconnect and resume (op 7). */
  | { kind: "op7" }
  /** Told that the session is invalid (op 9); when not resumable it is forgotten. */
  | { kind: "op9"; resumable: boolean }
  /** Nothing is acknowledged or sent any more; `halfOpen`: nothing is read either, not even a close frame. */
  | { kind: "zombie"; halfOpen?: boolean };

/** Does it to every connected session of a bot. Events that come meanwhile are kept for a resume. */
export function breakSessions(bot: BotRecord, what: GatewayBreak): void {
  for (const session of [...bot.sessions]) {
    const { wire } = session;
    if (wire === null) continue;
    switch (what.kind) {
      case "close":
        wire.close(what.code, what.reason);
        break;
      case "cut":
        wire.cut();
        break;
      case "op7":
        wire.send({ op: 7, d: null });
        break;
      case "op9":
        if (!what.resumable) bot.sessions.delete(session);
        wire.invalidate(what.resumable);
        break;
      case "zombie":
        wire.zombify(what.halfOpen === true);
        break;
    }
  }
}
