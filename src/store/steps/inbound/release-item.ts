import type { InboundAttachment } from "../../../core/message/inbound-event.ts";
import { isGathering, mustWait, settledPayload } from "../../../core/message/inbox-item.ts";
import type { StoredAttachment } from "../../../core/message/transcript.ts";
import { dropReleaseTimer, rewriteInput } from "../../parts/inputs.ts";
import { inboxItemFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

/** The outcome of fetching one attachment: kept by content hash, or one line that says why not (IN-12). */
export type FetchedAttachment =
  | { readonly ref: InboundAttachment["ref"]; readonly stored: StoredAttachment }
  | { readonly ref: InboundAttachment["ref"]; readonly note: string };

export interface ReleaseItemInput {
  readonly key: string;
  readonly fetched: readonly FetchedAttachment[];
  /** The first message of its thread, when it was asked for (FC-206); null: it was not, or there is none. */
  readonly root: { readonly senderName: string; readonly text: string; readonly refs: readonly string[] } | null;
  readonly rootAsked: boolean;
}

/**
 * Lets a held input go when its time has come and its attachments are settled; what still fails that holds it again, with a
 * timer. `gone`: it is not held (any more).
 */
export const releaseItem = defineStep(
  "release-item",
  "normal",
  async (context, input: ReleaseItemInput): Promise<"released" | "held" | "gone"> => {
    const row = await context.db.selectFrom("inbox").selectAll().where("key", "=", input.key).executeTakeFirst();
    if (row === undefined || row.state !== "held") {
      await dropReleaseTimer(context.db, input.key);
      return "gone";
    }
    const item = inboxItemFromRow(row);
    if (!isGathering(item.payload)) return "gone";
    const { gathering } = item.payload;
    const settled = new Map(input.fetched.map((fetched) => [fetched.ref, fetched]));
    const refs = [...(input.root?.refs ?? []), ...gathering.attachments.map(({ ref }) => ref)];
    const here = refs.flatMap((ref) => settled.get(ref) ?? []);
    const root = input.root === null ? [] : [{ senderName: input.root.senderName, text: input.root.text }];
    const { rootMissing, ...gathered } = gathering;
    const payload = {
      ...item.payload,
      attachments: [...item.payload.attachments, ...here.flatMap((one) => ("stored" in one ? [one.stored] : []))],
      attachmentNotes: [...item.payload.attachmentNotes, ...here.flatMap((one) => ("note" in one ? [one.note] : []))],
      context: [...root, ...item.payload.context],
      gathering: {
        ...gathered,
        ...(rootMissing === true && !input.rootAsked ? { rootMissing } : {}),
        attachments: gathering.attachments.filter(({ ref }) => !settled.has(ref)),
      },
    };
    const stored = mustWait(payload, context.now) ? payload : settledPayload(payload, context.now);
    const state = await rewriteInput(context, { ...item, payload: stored });
    return state === "held" ? "held" : "released";
  },
);
