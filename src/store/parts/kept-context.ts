import type { Selectable } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { EventFacts, InboundAttachment } from "../../core/message/inbound-event.ts";
import type { EventPayload, InboxPayload } from "../../core/message/inbox-item.ts";
import { type GatheredAttachment, isGathering } from "../../core/message/inbox-item.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";
import type { PendingContextTable } from "../tables/work.ts";

/** An unaddressed message that the next addressed one is shown with (IN-7). */
export interface KeptContext {
  readonly sessionKey: SessionKey;
  readonly senderName: string;
  readonly text: string;
  /** How many are kept per session. */
  readonly limit: number;
}

/** Part of a step: an unaddressed message is kept until one of its session is addressed, the newest only. */
export async function keepContext({ db, now }: StepContext, identity: string, kept: KeptContext): Promise<void> {
  const { sessionKey, senderName, text, limit } = kept;
  await db
    .insertInto("pending_context")
    .values({ session_key: sessionKey, identity, sender_name: senderName, text, created_at: now })
    .onConflict((conflict) => conflict.column("identity").doUpdateSet({ session_key: sessionKey, text }))
    .execute();
  await db
    .deleteFrom("pending_context")
    .where("session_key", "=", sessionKey)
    .where("seq", "not in", (eb) =>
      eb
        .selectFrom("pending_context as newest")
        .select("newest.seq")
        .where("newest.session_key", "=", sessionKey)
        .orderBy("newest.seq", "desc")
        .limit(limit),
    )
    .execute();
}

/** Which kept messages an addressed one is shown with. */
export interface ContextSource {
  readonly keys: readonly SessionKey[];
  /** The first message of the thread, wherever it was kept (FC-206). */
  readonly threadRoot: string | null;
  readonly limit: number;
  /** How many of their files come with them (FC-205), and which can be used at all. */
  readonly files: { readonly limit: number; readonly isUsable: (file: InboundAttachment) => boolean };
}

interface Taking<P extends InboxPayload> {
  readonly payload: P;
  /** null: nothing was kept for it. */
  readonly context: ContextSource | null;
  readonly session: { readonly key: SessionKey };
  /** The life of the session that begins or goes on. */
  readonly life: SessionId;
  readonly bindingId: string | null;
  readonly row: { readonly identity: string };
}

/**
 * Takes what was kept for this message (IN-7): what was said in its session, and its thread's first message, which is shown nowhere
 * else then (FC-206). Their newest files come with them (FC-205).
 */
export async function withContext<P extends InboxPayload>(
  context: StepContext,
  input: Taking<P>,
): Promise<P | EventPayload> {
  const { payload, context: source } = input;
  if (payload.kind !== "event" || source === null) return payload;
  const taken = await takeKept(context, source);
  const root = taken.filter(({ identity }) => identity === source.threadRoot);
  const others = taken.filter(({ identity }) => identity !== source.threadRoot);
  const kept = [...root, ...(source.limit > 0 ? others.slice(-source.limit) : [])];
  const rootMissing = root.length === 0 && (await lacksRoot(context, source, input));
  if (kept.length === 0 && !rootMissing) return payload;
  const whole = {
    ...payload,
    context: [...payload.context, ...kept.map((row) => ({ senderName: row.sender_name, text: row.text }))],
  };
  if (!isGathering(whole)) return whole;
  const { gathering } = whole;
  const known = new Set(gathering.attachments.map(({ identity }) => identity));
  const files = await filesOf(
    context,
    kept.map(({ identity }) => identity).filter((identity) => !known.has(identity)),
    source.files,
  );
  return {
    ...whole,
    gathering: {
      ...gathering,
      attachments: [...files, ...gathering.attachments],
      ...(rootMissing ? { rootMissing } : {}),
    },
  };
}

type Kept = Pick<Selectable<PendingContextTable>, "identity" | "sender_name" | "text">;

async function takeKept({ db }: StepContext, { keys, threadRoot }: ContextSource): Promise<readonly Kept[]> {
  const kept = await db
    .deleteFrom("pending_context")
    .where((eb) => {
      const here = eb("session_key", "in", keys);
      return threadRoot === null ? here : eb.or([here, eb("identity", "=", threadRoot)]);
    })
    .returning(["seq", "identity", "sender_name", "text"])
    .execute();
  return kept.toSorted((a, b) => a.seq - b.seq);
}

/** Whether a life begins in a thread whose first message it has not read and may read (IN-6). A bound session has its task instead. */
async function lacksRoot(
  { db }: StepContext,
  { threadRoot, limit }: ContextSource,
  { life, session, bindingId, row }: Omit<Taking<InboxPayload>, "payload" | "context">,
): Promise<boolean> {
  if (threadRoot === null || limit === 0 || bindingId !== null) return false;
  const read = await db.selectFrom("messages").select("seq").where("session_id", "=", life).limit(1).executeTakeFirst();
  if (read !== undefined) return false;
  const waiting = await db
    .selectFrom("inbox")
    .select("seq")
    .where("session_key", "=", session.key)
    .where("settled_at", "is", null)
    .where("kind", "=", "event")
    .where("key", "!=", row.identity)
    .limit(1)
    .executeTakeFirst();
  if (waiting !== undefined) return false;
  const root = await db
    .selectFrom("inbound_events")
    .select("result")
    .where("identity", "=", threadRoot)
    .executeTakeFirst();
  return root?.result !== "refused";
}

/** The newest files of kept messages, oldest first. What cannot be used is named in the words of its message. */
async function filesOf(
  { db }: StepContext,
  identities: readonly string[],
  { limit, isUsable }: ContextSource["files"],
): Promise<readonly GatheredAttachment[]> {
  if (identities.length === 0 || limit === 0) return [];
  const rows = await db
    .selectFrom("inbound_events")
    .select(["identity", "facts_json"])
    .where("identity", "in", identities)
    .execute();
  const facts = new Map(rows.map((row) => [row.identity, JSON.parse(row.facts_json) as EventFacts]));
  return identities
    .flatMap((identity) => (facts.get(identity)?.attachments ?? []).map((file) => ({ ...file, identity })))
    .filter(isUsable)
    .slice(-limit);
}
