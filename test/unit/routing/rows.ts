import { THREAD_BINDING_DEFAULTS } from "../../../config/sections/session.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { AccountSettings, AgentBinding, PlaceSettings } from "../../../src/core/settings.ts";

/** An account as the loader makes it, closed until the row says otherwise. */
export function account(channel: string, changes: Partial<AccountSettings> = {}): AccountSettings {
  return {
    channel,
    accountId: "default",
    dmPolicy: "allowlist",
    allowFrom: [],
    groupPolicy: "allowlist",
    places: new Map(),
    placesInServers: false,
    replyToMode: "first",
    streaming: "off",
    allowBots: false,
    maxBotTurns: 6,
    pacing: true,
    ackReaction: null,
    threadBindings: THREAD_BINDING_DEFAULTS,
    own: null,
    ...changes,
  };
}

export function place(changes: Partial<PlaceSettings> = {}): PlaceSettings {
  return {
    enabled: true,
    requireMention: null,
    allowFrom: null,
    roles: null,
    agentId: null,
    systemPrompt: null,
    tools: null,
    places: new Map(),
    ...changes,
  };
}

export function binding(agentId: string, match: Partial<AgentBinding["match"]>): AgentBinding {
  const none = { channel: null, accountId: null, peer: null, guildId: null, roles: null, teamId: null };
  return { agentId, match: { ...none, ...match }, session: { dmScope: null, groupScope: null } };
}

export const doors = {
  telegram: {
    access: "policies",
    places: { map: "groups", nested: "topics", inServers: false, senders: "allowFrom", roles: false },
  },
  discord: {
    access: "policies",
    places: { map: "guilds", nested: "channels", inServers: true, senders: "users", roles: true },
  },
  slack: {
    access: "policies",
    places: { map: "channels", nested: null, inServers: false, senders: "users", roles: false },
  },
  web: { access: "operator", places: null },
} as const;

type Facts = Pick<InboundEvent, "route" | "peer" | "thread">;

/** The facts of an event on a platform: the peer, where in it, and the route the adapter gave. */
export function facts(
  channel: string,
  peer: InboundEvent["peer"]["kind"],
  thread: InboundEvent["thread"]["kind"] = "none",
  threadId = "T1",
): Facts {
  const id = { direct: "U1", group: "G1", channel: "C1" }[peer];
  const inside = thread === "thread" || thread === "topic";
  return {
    route: { channel, accountId: "default", to: id, threadId: inside ? threadId : null },
    peer: { kind: peer, id, label: null },
    thread: thread === "none" ? { kind: "none" } : { kind: thread, id: threadId, label: null },
  };
}
