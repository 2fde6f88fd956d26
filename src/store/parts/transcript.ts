import type { Selectable } from "kysely";
import type { AgentId, SessionId, TurnId } from "../../core/ids.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { NewMessage, TokenUsage } from "../../core/message/transcript.ts";
import { indexedWords } from "../../core/message/transcript.ts";
import type { Session } from "../../core/session/session.ts";
import { agentOf, type SessionKey } from "../../core/session/session-key.ts";
import { SPENDING_SLOT_MS } from "../../core/session/spending.ts";
import type { Turn, TurnFence } from "../../core/session/turn.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { MessagesTable, MessageWordsTable } from "../tables/sessions.ts";
import { countCall } from "./chains.ts";
import { noticesTaken } from "./session-log.ts";
import { passFence } from "./sessions.ts";

export interface MessageOwner {
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId | null;
}

const insertMessage = defineStatement((db, p: Omit<Selectable<MessagesTable>, "seq">) =>
  db.insertInto("messages").values(p).returning("seq"),
);

const insertWords = defineStatement((db, p: Selectable<MessageWordsTable>) => db.insertInto("message_words").values(p));

const addUsage = defineStatement(
  (
    db,
    p: {
      readonly key: SessionKey;
      readonly now: number;
      readonly input: number;
      readonly output: number;
      readonly cached: number;
      readonly context: number;
    },
  ) =>
    db
      .updateTable("sessions")
      .set((eb) => ({
        updated_at: p.now,
        input_tokens: eb("input_tokens", "+", p.input),
        output_tokens: eb("output_tokens", "+", p.output),
        cached_tokens: eb("cached_tokens", "+", p.cached),
        context_tokens: p.context,
      }))
      .where("key", "=", p.key),
);

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
    const row = await insertMessage.first(db, {
      session_id: owner.sessionId,
      session_key: owner.sessionKey,
      turn_id: owner.turnId,
      role: message.role,
      parts_json: JSON.stringify(message.parts),
      provenance_json: JSON.stringify(message.provenance),
      usage_json: message.usage === null ? null : JSON.stringify(message.usage),
      created_at: now,
    });
    if (row === undefined) throw new Error("an insert returned no row");
    last = row.seq;
    const words = indexedWords(message, { sessionId: owner.sessionId, agentId: agentOf(owner.sessionKey) });
    if (words !== null) await insertWords.run(db, { seq: row.seq, words });
  }
  return last;
}

/** Part of a step: adds a model call's tokens to the session's counters, and to its agent's day (TN-19) and its chain (ST-28). */
export async function countUsage(
  context: StepContext,
  { sessionKey, source }: Pick<Turn, "sessionKey" | "source">,
  message: NewMessage,
): Promise<void> {
  const { db, now } = context;
  if (source.chain !== null && message.role === "assistant") await countCall(context, source.chain, message);
  const { usage, provenance } = message;
  if (usage === null) {
    await db.updateTable("sessions").set({ updated_at: now }).where("key", "=", sessionKey).execute();
    return;
  }
  if (provenance.kind === "assistant") await countSpending(context, { ...provenance, usage });
  const { input, output, cached } = usage;
  await addUsage.run(db, { key: sessionKey, now, input, output, cached, context: input + output });
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
  if (input.message.usage !== null) await countUsage(context, turn, input.message);
}

interface Spent {
  readonly agentId: AgentId;
  readonly slot: number;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
}

const added = defineStatement((db, { agentId, slot, model, input, output, cached, cacheWrite }: Spent) =>
  db
    .insertInto("spending")
    .values({ agent_id: agentId, slot, model, input, output, cached, cache_write: cacheWrite })
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "slot", "model"]).doUpdateSet((eb) => ({
        input: eb("spending.input", "+", eb.ref("excluded.input")),
        output: eb("spending.output", "+", eb.ref("excluded.output")),
        cached: eb("spending.cached", "+", eb.ref("excluded.cached")),
        cache_write: eb("spending.cache_write", "+", eb.ref("excluded.cache_write")),
      })),
    ),
);

/** Part of a step: a model call counts towards its agent's day (TN-19), whatever becomes of its session. */
export async function countSpending(
  { db, now }: StepContext,
  { agentId, model, usage }: { readonly agentId: AgentId; readonly model: string; readonly usage: TokenUsage },
): Promise<void> {
  const slot = Math.floor(now / SPENDING_SLOT_MS);
  const { input, output, cached, cacheWrite = 0 } = usage;
  await added.run(db, { agentId, slot, model, input, output, cached, cacheWrite });
}

/** How an input reads in the transcript; made to the right of the store. */
export type ToMessage = (item: InboxItem) => NewMessage;

const claim = defineStatement((db, p: { readonly seq: number; readonly turnId: string }) =>
  db.updateTable("inbox").set({ state: "claimed", turn_id: p.turnId }).where("seq", "=", p.seq),
);

/** Part of a step: the inputs become messages of the turn, in order, and are claimed by it. */
export async function claimInputs(
  context: StepContext,
  input: {
    readonly turn: Pick<Turn, "id">;
    readonly session: Session;
    readonly items: readonly InboxItem[];
    readonly toMessage: ToMessage;
  },
): Promise<readonly NewMessage[]> {
  const { turn, session, items } = input;
  if (items.length === 0) return [];
  const messages = items.map(input.toMessage);
  await insertMessages(context, { sessionId: session.sessionId, sessionKey: session.key, turnId: turn.id }, messages);
  for (const { seq } of items) await claim.run(context.db, { seq, turnId: turn.id });
  await noticesTaken(
    context,
    items.flatMap(({ payload, provenance, key }) =>
      payload.kind === "notice" && provenance.kind === "system" && provenance.source === "watch" ? [key] : [],
    ),
  );
  return messages;
}
