import type { Pointed } from "../../channel/pointers.ts";
import { type DeliveryTrace, deliveriesShownAs, traceDelivery } from "../../store/reads/trace-delivery.ts";
import { type EventQuery, type EventTrace, traceEvents } from "../../store/reads/trace-event.ts";
import type { Store } from "../../store/store.ts";

/** One message that a written id may mean. */
export interface Candidate {
  /** What names it and nothing else: `telegram:111/5`. */
  readonly reference: string;
  readonly accountId: string;
  readonly direction: "in" | "out";
  readonly at: number;
}

export type FoundMessage =
  | { readonly found: "one"; readonly events: readonly EventTrace[]; readonly deliveries: readonly DeliveryTrace[] }
  | { readonly found: "several"; readonly candidates: readonly Candidate[] }
  | { readonly found: "none" };

/** More than anybody reads; of more the newest are left out. */
const MOST = 50;

/**
 * The message somebody points at (IN-17), whichever way it went: by a link or identity key as it was stored, by what `pointed`
 * has read out of the link, or by the bare id, which may name several. Traces hold no text.
 */
export async function findMessage(
  store: Pick<Store, "read">,
  written: string,
  pointed: Pointed | null,
): Promise<FoundMessage> {
  for (const reference of references(written)) {
    const events = await store.read(traceEvents, { by: "reference", reference, limit: MOST });
    const [first] = events;
    // Its edits and its deletion have other identities, and links only where the platform has them.
    if (first !== undefined) return one(await allOf(store, first, events), []);
  }
  const { messageId, channel, to } = pointed ?? { messageId: written.trim(), channel: null, to: null };
  const query = { by: "message", messageId, channel, to } as const;
  const events = (await eventsOf(store, query)).filter((event) => isUnder(event, written));
  const shown = await store.read(deliveriesShownAs, { messageId, channel, to, limit: MOST });
  const deliveries: DeliveryTrace[] = [];
  for (const { id } of shown) {
    const trace = await store.read(traceDelivery, id);
    if (trace !== null) deliveries.push(trace);
  }
  return chooseOne(events, deliveries);
}

function eventsOf(store: Pick<Store, "read">, query: EventQuery): Promise<readonly EventTrace[]> {
  return store.read(traceEvents, { ...query, limit: MOST });
}

async function allOf(
  store: Pick<Store, "read">,
  { messageId, place }: EventTrace,
  events: readonly EventTrace[],
): Promise<readonly EventTrace[]> {
  if (messageId === "") return events;
  return eventsOf(store, { by: "message", messageId, channel: place.channel, to: place.threadId ?? place.to });
}

/** A link with a chat's public name does not say which chat it is; the links of what came from there do. */
function isUnder({ link, place }: EventTrace, written: string): boolean {
  const name = /^https?:\/\/t\.me\/([A-Za-z]\w+)\//.exec(written)?.[1];
  if (name === undefined || link === null || place.channel !== "telegram") return true;
  return link.toLowerCase().startsWith(`https://t.me/${name.toLowerCase()}/`) || !link.startsWith("https://t.me/");
}

function chooseOne(events: readonly EventTrace[], deliveries: readonly DeliveryTrace[]): FoundMessage {
  const sent = deliveries.map((trace) => ({ trace, ...outgoing(trace) }));
  const known = new Set(sent.map(({ reference }) => reference));
  // Platforms show a bot its own messages too.
  const came = events.map((trace) => ({ trace, ...incoming(trace) })).filter(({ reference }) => !known.has(reference));
  const candidates = new Map<string, Candidate>();
  for (const { trace: _trace, ...candidate } of [...came, ...sent]) {
    if (!candidates.has(candidate.reference)) candidates.set(candidate.reference, candidate);
  }
  if (candidates.size === 0) return { found: "none" };
  if (candidates.size > 1) return { found: "several", candidates: [...candidates.values()] };
  return one(
    came.map(({ trace }) => trace),
    sent.map(({ trace }) => trace),
  );
}

function incoming({ messageId, place, receivedAt }: EventTrace): Candidate {
  const { channel, accountId, to, threadId } = place;
  return { reference: `${channel}:${threadId ?? to}/${messageId}`, accountId, direction: "in", at: receivedAt };
}

function outgoing({ delivery }: DeliveryTrace): Candidate {
  const { route, messageIds, settledAt, createdAt } = delivery;
  const { channel, accountId, to, threadId } = route;
  const reference = `${channel}:${threadId ?? to}/${messageIds[0] ?? ""}`;
  return { reference, accountId, direction: "out", at: settledAt ?? createdAt };
}

function one(events: readonly EventTrace[], deliveries: readonly DeliveryTrace[]): FoundMessage {
  return { found: "one", events, deliveries };
}

/** A link as people paste it: in angle brackets, with a query, or to a page of Switchyard's own host. */
function references(written: string): readonly string[] {
  const plain = written.trim().replace(/^<(.*)>$/, "$1");
  if (!URL.canParse(plain)) return [plain];
  const url = new URL(plain);
  return [...new Set([plain, `${url.origin}${url.pathname}`, `${url.pathname}${url.hash}`])];
}
