import type { Route } from "../core/delivery/route.ts";
import type { AgentId, ChannelId } from "../core/ids.ts";
import type { InboundEvent, ThreadFacts } from "../core/message/inbound-event.ts";
import { assertNever } from "../core/runtime.ts";
import { isResetDue, resetPolicyOf } from "../core/session/auto-reset.ts";
import {
  agentOf,
  buildSessionKey,
  type SessionKey,
  type SessionKeyParts,
  type ThreadPart,
} from "../core/session/session-key.ts";
import type { AccountSettings, DmScope, GroupScope, Settings } from "../core/settings.ts";
import type { LocalTime } from "../core/time.ts";

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
