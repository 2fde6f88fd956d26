import type { RunId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { SessionKey } from "../session/session-key.ts";

export type StateEventKind =
  | "created"
  | "human_direct_message"
  | "goal_changed"
  | "child_spawned"
  | "run_completed"
  | "run_failed"
  | "compacted"
  | "reset"
  | "bound"
  | "unbound";

/** A line of a session's durable log (SL-1). Never message content. */
export interface StateEvent {
  readonly sequence: number;
  readonly sessionKey: SessionKey;
  readonly kind: StateEventKind;
  readonly actorType: "human" | "agent" | "system";
  readonly actor: string;
  readonly runId: RunId | null;
  readonly at: number;
  readonly summary: string;
  readonly payload: JsonObject;
}
