import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";

export interface NewFailure {
  readonly kind: "turn" | "delivery" | "completion" | "inbound" | "model" | "limit" | "catch_up";
  /** The id of what failed. */
  readonly subject: string;
  readonly sessionKey: SessionKey | null;
  readonly message: string;
}

/** Part of a step: an entry in the operator's view (TN-16). */
export async function insertFailure({ db, now }: StepContext, failure: NewFailure): Promise<void> {
  await db
    .insertInto("failures")
    .values({
      kind: failure.kind,
      subject: failure.subject,
      session_key: failure.sessionKey,
      message: failure.message,
      at: now,
    })
    .execute();
}
