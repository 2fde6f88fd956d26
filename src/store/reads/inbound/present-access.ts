import type { Kysely } from "kysely";
import type { InboxItem } from "../../../core/message/inbox-item.ts";
import {
  type KnownSender,
  type PresentAccess,
  type PresentAccessOf,
  UNKNOWN_SENDER,
} from "../../../core/session/present-access.ts";
import { roleAtLeast } from "../../../core/session/rights.ts";
import { placeSenderName } from "../../../core/session/session.ts";
import type { Schema } from "../../schema.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";
import { movedFromName, movedToName } from "./sender-facts.ts";

interface Known {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
  readonly movedTo: string;
  readonly movedFrom: string;
  readonly placeSender: string;
}

const paired = defineStatement((db, p: Known) =>
  db
    .selectFrom("paired_senders")
    .select(["owner", "listed"])
    .where("channel", "=", p.channel)
    .where("account_id", "=", p.accountId)
    .where("sender_id", "=", p.senderId),
);

const placed = defineStatement((db, p: Known) =>
  db
    .selectFrom("account_state")
    .select(["name", "value"])
    .where("channel", "=", p.channel)
    .where("account_id", "=", p.accountId)
    .where((eb) => eb.or([eb("name", "=", p.movedTo), eb("name", "=", p.movedFrom), eb("name", "=", p.placeSender)])),
);

/**
 * What the access rules say now about the sender of an input (IN-18). The store is asked only for what the configuration alone does not
 * grant: most messages cost no statement.
 */
export async function accessOf(
  db: Kysely<Schema>,
  item: Pick<InboxItem, "payload" | "rights">,
  presentAccess: PresentAccessOf,
): Promise<PresentAccess> {
  const { sender, role } = item.rights;
  const configured = presentAccess(item, UNKNOWN_SENDER);
  const isWhole = configured.admitted && configured.commandsDenied === null && roleAtLeast(configured.role, role);
  if (sender === null || isWhole) return configured;
  return presentAccess(item, await knownSender(db, item, sender));
}

async function knownSender(
  db: Kysely<Schema>,
  { payload, rights }: Pick<InboxItem, "payload" | "rights">,
  { channel, accountId, id: senderId }: NonNullable<InboxItem["rights"]["sender"]>,
): Promise<KnownSender> {
  const admission = payload.kind === "event" || payload.kind === "command" ? payload.admission : undefined;
  const peerId = admission?.peer.id ?? rights.group?.id ?? senderId;
  const names = { movedTo: movedToName(peerId), movedFrom: movedFromName(peerId) };
  const asked = { channel, accountId, senderId, ...names, placeSender: placeSenderName(peerId, senderId) };
  const person = await paired.first(db, asked);
  const known = { paired: person !== undefined, owner: person?.owner === 1, listed: person?.listed === 1 };
  if (rights.group === null) return { ...UNKNOWN_SENDER, ...known };
  const here = new Map((await placed.all(db, asked)).map(({ name, value }) => [name, value]));
  return {
    ...known,
    listedHere: here.has(asked.placeSender),
    movedTo: here.get(names.movedTo) ?? null,
    formerPeerId: here.get(names.movedFrom) ?? null,
  };
}

/** Of the sender of a command that is about to run. */
export const commandAccess = defineRead(
  "command-access",
  (
    db,
    { item, presentAccess }: { readonly item: InboxItem; readonly presentAccess: PresentAccessOf },
  ): Promise<PresentAccess> => accessOf(db, item, presentAccess),
);
