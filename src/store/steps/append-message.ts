import type { SessionId, TurnId } from "../../core/ids.ts";
import { indexedWords } from "../../core/searchable.ts";
import { agentOf, type SessionKey } from "../../core/session-key.ts";
import type { NewMessage } from "../../core/transcript.ts";
import type { TurnFence } from "../../core/turn.ts";
import { defineStep, type StepContext } from "../store.ts";
import { countSpending } from "./count-spending.ts";
import { passFence } from "./fence.ts";

export interface MessageOwner {
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId | null;
}

/**
 * Part of a step: adds messages to a transcript, in order, and to what search finds (ST-11); returns the sequence of the last.
 */
export async function insertMessages(
  { db, now }: StepContext,
  owner: MessageOwner,
  messages: readonly NewMessage[],
): Promise<number> {
  let last = 0;
  for (const message of messages) {
    const { seq } = await db
      .insertInto("messages")
      .values({
        session_id: owner.sessionId,
        session_key: owner.sessionKey,
        turn_id: owner.turnId,
        role: message.role,
        parts_json: JSON.stringify(message.parts),
        provenance_json: JSON.stringify(message.provenance),
        usage_json: message.usage === null ? null : JSON.stringify(message.usage),
        created_at: now,
      })
      .returning("seq")
      .executeTakeFirstOrThrow();
    last = seq;
    const words = indexedWords(message, { sessionId: owner.sessionId, agentId: agentOf(owner.sessionKey) });
    if (words !== null) await db.insertInto("message_words").values({ seq, words }).execute();
  }
  return last;
}

/** Part of a step: adds a model call's tokens to the session's counters, and to its agent's day (TN-19). */
export async function countUsage(context: StepContext, sessionKey: SessionKey, message: NewMessage): Promise<void> {
  const { db, now } = context;
  const { usage, provenance } = message;
  if (usage !== null && provenance.kind === "assistant") await countSpending(context, { ...provenance, usage });
  await db
    .updateTable("sessions")
    .set((eb) => ({
      updated_at: now,
      ...(usage === null
        ? {}
        : {
            input_tokens: eb("input_tokens", "+", usage.input),
            output_tokens: eb("output_tokens", "+", usage.output),
            cached_tokens: eb("cached_tokens", "+", usage.cached),
            context_tokens: usage.input + usage.output,
          }),
    }))
    .where("key", "=", sessionKey)
    .execute();
}

/** Part of a step of an open turn: stores a message of the turn, behind its fence. */
export async function appendToTurn(
  context: StepContext,
  input: TurnFence & { readonly message: NewMessage },
): Promise<void> {
  const turn = await passFence(context, input);
  await insertMessages(context, { sessionId: turn.sessionId, sessionKey: turn.sessionKey, turnId: turn.id }, [
    input.message,
  ]);
  if (input.message.usage !== null) await countUsage(context, turn.sessionKey, input.message);
}

/** Stores an assistant message with its tool calls, or one tool result, before it has an effect (TN-2). */
export const appendMessage = defineStep("append-message", "normal", appendToTurn);
