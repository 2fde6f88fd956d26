import { type Pointed, writtenPointer } from "../channel/descriptor.ts";
import type { Route } from "../core/delivery/delivery.ts";
import { type DeliveryTrace, deliveriesShownAs, traceDelivery } from "../store/reads/trace/delivery.ts";
import { type EventQuery, type EventTrace, traceEvents } from "../store/reads/trace/event.ts";
import type { Store } from "../store/store.ts";

/** One message that a written id may mean. */
export interface Candidate {
  /** What names it and nothing else: `telegram:111/5`. */
  readonly reference: string;
  readonly accountId: string;
  readonly place: Route;
  readonly direction: "in" | "out";
  readonly at: number;
}

export type FoundMessage =
  | { readonly found: "one"; readonly events: readonly EventTrace[]; readonly deliveries: readonly DeliveryTrace[] }
  | { readonly found: "several"; readonly candidates: readonly Candidate[] }
  | { readonly found: "none" };

/** More than people read; beyond it the newest are left out. */
const MOST = 50;

/**
 * The message a person refers to (IN-17), incoming or outgoing: by a link or identity key as it was stored, by what `pointed`
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
  const named = pointed ?? { messageId: written.trim(), channel: null, accountId: null, to: null, threadId: undefined };
  const { messageId, channel, accountId, to, threadId } = named;
  const place = to === null ? null : { to, threadId };
  const query = { by: "message", messageId, channel, accountId, place } as const;
  const events = (await eventsOf(store, query)).filter(({ link }) => isOfChat(link, pointed?.publicChat));
  const shown = await store.read(deliveriesShownAs, { messageId, channel, accountId, place, limit: MOST });
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
  const { channel, to, threadId } = place;
  const named = { to, threadId: threadId ?? undefined };
  return eventsOf(store, { by: "message", messageId, channel, accountId: null, place: named });
}

/** A link with a chat's public name does not say which chat it is; the stored links of its messages do. */
function isOfChat(link: string | null, chat: string | undefined): boolean {
  if (link === null || chat === undefined) return true;
  return link.toLowerCase().startsWith(chat.toLowerCase()) || !link.startsWith(new URL("/", chat).href);
}

function chooseOne(events: readonly EventTrace[], deliveries: readonly DeliveryTrace[]): FoundMessage {
  const sent = deliveries.map((trace) => ({ trace, ...outgoing(trace) }));
  const known = new Set(sent.map(({ exact }) => exact));
  // Platforms show a bot its own messages too.
  const came = events.map((trace) => ({ trace, ...incoming(trace) })).filter(({ exact }) => !known.has(exact));
  const found = new Map([...came, ...sent].toReversed().map((place) => [place.exact, place]));
  if (found.size === 0) return { found: "none" };
  if (found.size === 1)
    return one(
      came.map(({ trace }) => trace),
      sent.map(({ trace }) => trace),
    );
  const places = [...found.values()].toReversed();
  const isAlone = (short: string): boolean => places.filter((place) => place.short === short).length === 1;
  return {
    found: "several",
    candidates: places.map(({ exact, short, ...candidate }) => ({
      reference: isAlone(short) ? short : exact,
      ...candidate,
    })),
  };
}

/** `short` names the thread alone, as people know it; two conversations may have one of the same id. */
interface Placed extends Omit<Candidate, "reference"> {
  readonly exact: string;
  readonly short: string;
}

function incoming({ messageId, place, receivedAt }: EventTrace): Placed {
  return { ...placed(place, messageId), direction: "in", at: receivedAt };
}

function outgoing({ delivery }: DeliveryTrace): Placed {
  const { route, messageIds, settledAt, createdAt } = delivery;
  return { ...placed(route, messageIds[0] ?? ""), direction: "out", at: settledAt ?? createdAt };
}

function placed(place: Route, messageId: string): Pick<Placed, "exact" | "short" | "accountId" | "place"> {
  const { channel, accountId, to, threadId } = place;
  const exact = writtenPointer({ ...place, accountId: null }, messageId);
  return { exact, short: `${channel}:${threadId ?? to}/${messageId}`, accountId, place };
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
