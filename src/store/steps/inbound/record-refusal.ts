import type { NewDelivery } from "../../../core/delivery/delivery.ts";
import { type EventRow, type Expected, storeEvent } from "../../parts/event-row.ts";
import { type KeptContext, keepContext } from "../../parts/kept-context.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { askPairing, type PairingAsk } from "../../parts/pairing-ask.ts";
import { insertFailure, type NewFailure } from "../../parts/record-failure.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface RecordRefusalInput {
  readonly row: EventRow;
  readonly expected: Expected;
  readonly result: "refused" | "ignored" | "stale" | "kept";
  readonly rule: string;
  readonly kept: KeptContext | null;
  /** One short line to the person: a pairing code, a limit that was reached. */
  readonly notice: NewDelivery | null;
  readonly pairing: PairingAsk | null;
  /** What the operator sees; once for its subject since `since`. */
  readonly failure: (NewFailure & { readonly since: number }) | null;
}

/**
 * The stored reason of an event that starts nothing (IN-17), with what goes with it, in one transaction. It makes no session:
 * a refused message leaves no trace in any (IN-6). Rejects with `EventChanged` like `accept-event`.
 */
async function record(context: StepContext, input: RecordRefusalInput): Promise<void> {
  const { row, result, rule, kept } = input;
  const outcome = { result, rule, sessionKey: kept?.sessionKey ?? null, inboxSeq: null };
  await storeEvent(context, { row, outcome, expected: input.expected });
  if (kept !== null) await keepContext(context, row.identity, kept);
  if (input.pairing !== null) await askPairing(context, input.pairing);
  if (input.notice !== null) {
    await insertDeliveries(context, { deliveries: [input.notice], sessionKey: null, turnId: null, runId: null });
  }
  if (input.failure !== null) await failOnce(context, input.failure);
}

const recordRefusal = defineStep("record-refusal", "full", record);
const keepUnaddressed = defineStep("keep-unaddressed", "soon", record);
const noteRefusal = defineStep("note-refusal", "normal", record);

/**
 * The step that stores a refusal. Who is told something is owed it: on disk before the platform is. A message that only waits to be
 * shown with another one is on its way to the disk, and one that is never shown again need only survive the process: a busy group
 * must not cost the disk a flush for each message that is none of the bot's. After a power cut `/why` may not know the last of those.
 */
export function refusalStep({ notice, pairing, failure, kept }: RecordRefusalInput): typeof recordRefusal {
  if (notice !== null || pairing !== null || failure !== null) return recordRefusal;
  return kept === null ? noteRefusal : keepUnaddressed;
}

async function failOnce(context: StepContext, failure: NewFailure & { readonly since: number }): Promise<void> {
  const told = await context.db
    .selectFrom("failures")
    .select("id")
    .where("at", ">=", failure.since)
    .where("kind", "=", failure.kind)
    .where("subject", "=", failure.subject)
    .limit(1)
    .executeTakeFirst();
  if (told === undefined) await insertFailure(context, failure);
}
