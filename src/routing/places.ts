import type { PlaceKeys } from "../channel/descriptor.ts";
import type { Route } from "../core/delivery/delivery.ts";
import { type AgentId, type ChannelId, DEFAULT_ACCOUNT } from "../core/ids.ts";
import type { AdmissionFacts, InboundEvent, ThreadFacts } from "../core/message/inbound-event.ts";
import { assertNever } from "../core/runtime.ts";
import type { Rights } from "../core/session/rights.ts";
import { isResetDue, resetPolicyOf } from "../core/session/session.ts";
import {
  agentOf,
  buildSessionKey,
  type SessionKey,
  type SessionKeyParts,
  type ThreadPart,
} from "../core/session/session-key.ts";
import type { AccountSettings, DmScope, GroupScope, PlaceSettings, Settings } from "../core/settings.ts";
import { accessRules } from "../core/texts/rules.ts";
import type { LocalTime } from "../core/time.ts";

/** The facts of an event that decide which entry of the access map is meant. */
export type PlaceFacts = Pick<AdmissionFacts, "peer" | "thread" | "guildId">;

/** The entry that applies to an event: its own with what it leaves open filled from the entries above it (IN-6). */
export interface PlaceEntry {
  /** Its path in the configuration, for rules people read. */
  readonly path: string;
  readonly requireMention: boolean;
  /** Allowed senders and roles; both null or empty: everyone in the place. */
  readonly allowFrom: readonly string[] | null;
  readonly roles: readonly string[] | null;
  readonly agentId: string | null;
  /** A topic or thread with its own entry. */
  readonly own: boolean;
  /** A topic or thread with its own people or roles: the stored list of the group or channel does not apply in it. */
  readonly ownPeople: boolean;
}

export type PlaceLookup =
  /** The map is empty: it says nothing. */
  | { readonly found: "no map" }
  | { readonly found: "missing" | "off"; readonly rule: string }
  | { readonly found: "entry"; readonly place: PlaceEntry };

/** Telegram's General topic has no id in updates; its configuration is topic `1` (SK-9). */
const GENERAL_TOPIC = "1";

/** `channels.telegram`, or `channels.telegram.accounts.second` for another account than the default one. */
export function accountPath(account: AccountSettings): string {
  const base = `channels.${account.channel}`;
  return account.accountId === DEFAULT_ACCOUNT ? base : `${base}.accounts.${account.accountId}`;
}

interface Found {
  readonly path: string;
  readonly entry: PlaceSettings;
  readonly own: boolean;
}

/**
 * Finds the entry of an event's place. `peerIds`: the conversation's id and former ids of it, first match wins (SK-9).
 * The map, and a guild's map of channels, allow only what they list; topics and threads fall back to their parent.
 */
export function findPlace(
  account: AccountSettings,
  facts: PlaceFacts,
  options: { readonly peerIds: readonly string[]; readonly keys: PlaceKeys | null },
): PlaceLookup {
  const { thread, guildId } = facts;
  const looked = lookUp(account, { ...options, guildId, threadId: thread.kind === "none" ? null : thread.id });
  return looked.found === "chain" ? { found: "entry", place: merge(looked.chain) } : looked;
}

interface PlaceIds {
  /** The conversation's id and former ids of it; the first match wins (SK-9). */
  readonly peerIds: readonly string[];
  readonly guildId: string | null;
  readonly threadId: string | null;
}

/** The one look-up of a place's entries, the outer before the inner: access, tools and prompt all go by it (FC-420). */
function lookUp(
  account: AccountSettings,
  { peerIds, guildId, threadId, keys }: PlaceIds & { readonly keys: PlaceKeys | null },
): Exclude<PlaceLookup, { readonly found: "entry" }> | { readonly found: "chain"; readonly chain: readonly Found[] } {
  if (account.places.size === 0) return { found: "no map" };
  const path = `${accountPath(account)}.${keys?.map ?? "places"}`;
  const outerIds = guildId === null ? peerIds : [guildId];
  const outer = pick(account.places, outerIds, path);
  if (outer === null) return { found: "missing", rule: accessRules.doesNotList(path, `${outerIds[0]}`) };
  const chain = [outer];
  const nestedPath = `${outer.path}.${keys?.nested ?? "places"}`;
  if (guildId !== null && outer.entry.places.size > 0) {
    const threadIds = threadId === null ? [] : [threadId];
    const inner = pick(outer.entry.places, [...threadIds, ...peerIds], nestedPath);
    if (inner === null) return { found: "missing", rule: accessRules.doesNotList(nestedPath, `${peerIds[0]}`) };
    chain.push({ ...inner, own: threadIds.some((id) => inner.path.endsWith(`.${id}`)) });
  }
  if (guildId === null) {
    const topicId = threadId ?? GENERAL_TOPIC;
    const topic = pick(outer.entry.places, [topicId], nestedPath);
    if (topic !== null) chain.push({ ...topic, own: true });
  }
  const off = chain.find((found) => !found.entry.enabled);
  if (off !== undefined) return { found: "off", rule: `${off.path}.enabled is false` };
  return { found: "chain", chain };
}

function pick(map: ReadonlyMap<string, PlaceSettings>, ids: readonly string[], path: string): Found | null {
  for (const id of [...ids, "*"]) {
    const entry = map.get(id);
    if (entry !== undefined) return { path: `${path}.${id}`, entry, own: false };
  }
  return null;
}

/** The innermost entry that says something wins, key by key; people and roles are one rule and come from the same entry. */
function merge(chain: readonly Found[]): PlaceEntry {
  const inner = chain.toReversed();
  const first = <T>(read: (entry: PlaceSettings) => T | null): T | null => {
    for (const { entry } of inner) {
      const value = read(entry);
      if (value !== null) return value;
    }
    return null;
  };
  const from = inner.find(({ entry }) => entry.allowFrom !== null || entry.roles !== null);
  const people = from?.entry;
  return {
    path: inner[0]?.path ?? "",
    requireMention: first((entry) => entry.requireMention) ?? true,
    allowFrom: people?.allowFrom ?? null,
    roles: people?.roles ?? null,
    agentId: first((entry) => entry.agentId),
    own: inner[0]?.own ?? false,
    ownPeople: from?.own ?? false,
  };
}

/** The entries that apply to a turn's group or channel, the outer before the inner; null: the configuration has none for it any more. */
function entriesOf(settings: Settings, group: NonNullable<Rights["group"]>): readonly PlaceSettings[] | null {
  const { channel, accountId, id, formerId, guildId, topicId } = group;
  const account = settings.accounts.find((known) => known.channel === channel && known.accountId === accountId);
  if (account === undefined) return null;
  const peerIds = formerId === null ? [id] : [id, formerId];
  const looked = lookUp(account, { peerIds, guildId, threadId: topicId, keys: null });
  if (looked.found === "no map") return [];
  return looked.found === "chain" ? looked.chain.map(({ entry }) => entry) : null;
}

/** The place's own system prompt, the innermost one (CH-1, CH-3), or null. */
export function placePrompt(settings: Settings, group: Rights["group"]): string | null {
  const entries = group === null ? null : entriesOf(settings, group);
  return entries?.findLast((entry) => entry.systemPrompt !== null)?.systemPrompt ?? null;
}

/** The place layers of the tool policy, the group's before its topic's (TP-2); null: they cannot be found, so nothing is allowed. */
export function placeToolLayers(
  settings: Settings,
  group: Rights["group"],
): readonly NonNullable<PlaceSettings["tools"]>[] | null {
  if (group === null) return [];
  return entriesOf(settings, group)?.flatMap((entry) => (entry.tools === null ? [] : [entry.tools])) ?? null;
}

/** Whether the configuration lists a conversation by its id (ST-40). */
export function listsConversation({ places, placesInServers }: AccountSettings, id: string): boolean {
  if (!placesInServers) return places.get(id)?.enabled === true;
  return [...places.values()].some((server) => server.enabled && server.places.get(id)?.enabled === true);
}

/** The facts of an event that decide its session (SK-11). */
export type KeyFacts = Pick<InboundEvent, "route" | "peer" | "thread">;

/** What the configuration says about sessions here, a binding's override already applied (SK-10). */
export interface KeyScope {
  readonly agentId: AgentId;
  readonly dmScope: DmScope;
  readonly groupScope: GroupScope;
  readonly identityLinks: ReadonlyMap<string, string>;
  readonly replyToMode: AccountSettings["replyToMode"];
  /** The message addresses the bot, or the place needs no mention: the bot will answer it. */
  readonly addressed: boolean;
}

/** A thread-scoped session's parent (SK-5); `route` is null when it cannot hold messages. */
export interface ParentPlace {
  readonly key: SessionKey;
  readonly route: Route | null;
}

export interface ResolvedPlace {
  readonly key: SessionKey;
  readonly parent: ParentPlace | null;
  /** Where the answer goes; made together with the key from the same event (FC-047). */
  readonly route: Route;
}

/**
 * The one function that makes session keys from events (SK-11). A thread keys as its parent's key plus suffix; a `root`
 * gets its thread at once when the bot will answer in that thread, so that the root and its replies are one session (SK-8).
 * With `none` the route stays as the adapter gave it: threads of an ordinary DM are answered there and share its session.
 */
export function resolveKey(facts: KeyFacts, scope: KeyScope): ResolvedPlace {
  const base = baseParts(facts, scope);
  const thread = threadPart(facts, scope);
  if (thread === null || facts.thread.kind === "none") {
    const route = facts.thread.kind === "root" ? { ...facts.route, threadId: null } : facts.route;
    return { key: buildSessionKey(base), parent: null, route };
  }
  const silentParent = facts.thread.parentHoldsNoMessages === true;
  return {
    key: buildSessionKey({ ...base, thread }),
    parent: { key: buildSessionKey(base), route: silentParent ? null : { ...facts.route, threadId: null } },
    route: { ...facts.route, threadId: thread.id },
  };
}

type ThreadableParts = Extract<SessionKeyParts, { readonly thread: ThreadPart | null }>;

function baseParts({ peer, route }: KeyFacts, scope: KeyScope): ThreadableParts {
  const { agentId } = scope;
  switch (peer.kind) {
    case "direct":
      return directParts(peer.id, route, scope);
    case "group":
    case "channel":
      return scope.groupScope === "main"
        ? { kind: "main", agentId, thread: null }
        : { kind: peer.kind, agentId, channel: route.channel, accountId: route.accountId, id: peer.id, thread: null };
    default:
      return assertNever(peer.kind);
  }
}

function directParts(peerId: string, route: Route, scope: KeyScope): ThreadableParts {
  const { agentId } = scope;
  const direct = { kind: "direct", agentId, channel: route.channel, accountId: null, peerId, thread: null } as const;
  switch (scope.dmScope) {
    case "main":
      return { kind: "main", agentId, thread: null };
    case "per-peer":
      return { ...direct, channel: null, peerId: scope.identityLinks.get(`${route.channel}:${peerId}`) ?? peerId };
    case "per-channel-peer":
      return direct;
    case "per-account-channel-peer":
      return { ...direct, accountId: route.accountId };
    default:
      return assertNever(scope.dmScope);
  }
}

function threadPart({ peer, thread }: KeyFacts, scope: KeyScope): ThreadPart | null {
  switch (thread.kind) {
    case "none":
      return null;
    case "thread":
    case "topic":
      return { kind: thread.kind, id: thread.id };
    case "root":
      return startsThread(peer.kind, scope) ? { kind: "thread", id: thread.id } : null;
    default:
      return assertNever(thread);
  }
}

/** A direct `root` is an assistant view, which always threads; elsewhere the bot must be about to answer in a thread (SK-8). */
function startsThread(peerKind: KeyFacts["peer"]["kind"], scope: KeyScope): boolean {
  return peerKind === "direct" || (scope.replyToMode !== "off" && scope.addressed);
}

/** True when the event stands inside a thread or topic, not at the top level of its conversation. */
export function inThread(thread: ThreadFacts): thread is Extract<ThreadFacts, { readonly id: string }> {
  return thread.kind === "thread" || thread.kind === "topic";
}

/** Whether a session's automatic reset is due when a person writes to it `now`, by when one last did (TN-13). */
export function resetJudge(
  settings: Settings,
  place: { readonly key: SessionKey; readonly channel: ChannelId },
  { now, localTime }: { readonly now: number; readonly localTime: LocalTime },
): (lastHumanAt: number) => boolean {
  const policy = resetPolicyOf(settings.session.reset, place.key, place.channel);
  if (policy === null || policy.mode === "none") return () => false;
  const timeZone = settings.agents.get(agentOf(place.key))?.userTimezone ?? "UTC";
  return (lastHumanAt) => isResetDue(policy, { lastHumanAt, now, timeZone }, localTime);
}
