import type { AgentId } from "../core/ids.ts";
import type { InboundEvent } from "../core/message/inbound-event.ts";
import type { AccountSettings, AgentBinding, Settings, TextPattern } from "../core/settings.ts";
import { accessRules, limitRules, mentionRules } from "../core/texts/rules.ts";
import { type RoleLists, roleLists } from "./admission.ts";
import type { CommandCost } from "./command-gate.ts";
import { accountPath } from "./places.ts";

export type AgentFacts = Pick<
  InboundEvent,
  "accountId" | "route" | "peer" | "thread" | "guildId" | "teamId" | "sender"
>;

export type AgentChoice =
  | { readonly chosen: true; readonly agentId: AgentId; readonly binding: AgentBinding | null; readonly rule: string }
  | { readonly chosen: false; readonly rule: string };

/** `bindings[]` sorted by how exactly they name a place, the order of the file kept within a tier (IN-8). */
export interface AgentRules {
  readonly tiers: readonly (readonly NumberedBinding[])[];
  readonly fallback: AgentId | null;
}

interface NumberedBinding {
  readonly index: number;
  readonly binding: AgentBinding;
}

/** 0 exact peer (tried for the thread, then for its parent), 1 peer wildcard, 2 guild and roles, 3 guild, 4 team, 5 account, 6 channel. */
function tierOf({ match }: AgentBinding): number {
  if (match.peer !== null) return match.peer.id === "*" ? 1 : 0;
  if (match.guildId !== null) return match.roles === null ? 3 : 2;
  if (match.teamId !== null) return 4;
  return match.accountId === null ? 6 : 5;
}

/** Sorts the bindings once per settings. The only agent there is needs no `default`. */
export function agentRules(settings: Pick<Settings, "bindings" | "agents" | "defaultAgentId">): AgentRules {
  const tiers: NumberedBinding[][] = [[], [], [], [], [], [], []];
  settings.bindings.forEach((binding, index) => {
    tiers[tierOf(binding)]?.push({ index, binding });
  });
  const only = settings.agents.size === 1 ? ([...settings.agents.keys()][0] ?? null) : null;
  return { tiers, fallback: settings.defaultAgentId ?? only };
}

/**
 * Which agent answers here, first match wins (IN-8): exact peer, an `agentId` in the place's own entry, parent peer, peer
 * wildcard, guild and roles, guild, team, account, channel, the default agent. All fields of a binding must match.
 */
export function chooseAgent(
  rules: AgentRules,
  facts: AgentFacts,
  place: { readonly path: string; readonly agentId: AgentId | null; readonly own: boolean } | null,
  peerIds: readonly string[] = [facts.peer.id],
): AgentChoice {
  const [exact = [], ...rest] = rules.tiers;
  const placed = (): AgentChoice | null =>
    place === null || place.agentId === null
      ? null
      : { chosen: true, agentId: place.agentId, binding: null, rule: `${place.path}.agentId` };
  const inThread = threadPeerIds(facts);
  const own = inThread.length === 0 ? null : firstMatch(exact, facts, inThread);
  if (own !== null) return own;
  // An entry for this very topic is more exact than a binding of the group around it.
  const ownPlace = place?.own === true ? placed() : null;
  if (ownPlace !== null) return ownPlace;
  const peer = firstMatch(exact, facts, peerIds) ?? placed();
  if (peer !== null) return peer;
  for (const tier of rest) {
    const match = firstMatch(tier, facts, peerIds);
    if (match !== null) return match;
  }
  if (rules.fallback !== null) return { chosen: true, agentId: rules.fallback, binding: null, rule: "default agent" };
  return { chosen: false, rule: missingBinding(facts) };
}

/** The name of the agent that answers a person there; null: none does, or the only one has no own name. */
export function nameOfAgent(
  settings: Pick<Settings, "bindings" | "agents" | "defaultAgentId">,
  facts: Pick<InboundEvent, "route" | "peer" | "thread">,
): string | null {
  const sender = { id: "", name: "", username: null, isBot: false, isSelf: false, roleIds: [] };
  const at = { ...facts, accountId: facts.route.accountId, guildId: null, teamId: null, sender };
  const choice = chooseAgent(agentRules(settings), at, null);
  const agent = choice.chosen ? settings.agents.get(choice.agentId) : undefined;
  if (agent === undefined) return null;
  const isNamed = agent.name.toLowerCase() !== agent.id.toLowerCase();
  return isNamed || settings.agents.size > 1 ? agent.name : null;
}

/** How a binding names a thread: by its own id, or a topic (whose id is only unique in its group) by `<group>:topic:<id>`. */
function threadPeerIds({ thread, peer }: AgentFacts): readonly string[] {
  if (thread.kind === "thread") return [thread.id];
  return thread.kind === "topic" ? [`${peer.id}:topic:${thread.id}`] : [];
}

function firstMatch(
  tier: readonly NumberedBinding[],
  facts: AgentFacts,
  peerIds: readonly string[],
): AgentChoice | null {
  for (const { index, binding } of tier) {
    if (!matches(binding, facts, peerIds)) continue;
    return { chosen: true, agentId: binding.agentId, binding, rule: `bindings[${index}]` };
  }
  return null;
}

function matches({ match }: AgentBinding, facts: AgentFacts, peerIds: readonly string[]): boolean {
  const { peer, roles } = match;
  return (
    (match.channel === null || match.channel === facts.route.channel) &&
    (match.accountId === null || match.accountId === facts.accountId) &&
    (match.guildId === null || match.guildId === facts.guildId) &&
    (match.teamId === null || match.teamId === facts.teamId) &&
    (roles === null || facts.sender.roleIds.some((role) => roles.includes(role))) &&
    (peer === null || (peer.kind === facts.peer.kind && (peer.id === "*" || peerIds.includes(peer.id))))
  );
}

function missingBinding({ route, accountId, peer }: AgentFacts): string {
  const match = `{ channel: "${route.channel}", accountId: "${accountId}", peer: { kind: "${peer.kind}", id: "${peer.id}" } }`;
  return accessRules.noAgent(match);
}

/** Everything the way in looks up in the settings, prepared once per settings and not per message. */
export interface RoutingIndex {
  readonly settings: Settings;
  readonly agents: AgentRules;
  readonly roles: RoleLists;
}

export function routingIndex(settings: Settings): RoutingIndex {
  return { settings, agents: agentRules(settings), roles: roleLists(settings) };
}

export type GateFacts = Pick<InboundEvent, "kind" | "peer" | "sender" | "mentions" | "text">;

export interface GateRules {
  readonly requireMention: boolean;
  /** Where `requireMention` stands, for the rule people read. */
  readonly path: string;
  readonly patterns: readonly TextPattern[];
  readonly implicit: { readonly replyToBot: boolean; readonly threadParticipation: boolean };
  /** The conversation is bound to a session (TB-3). */
  readonly bound: boolean;
  /** The bot already answered in this very thread; from stored deliveries, so it holds after a restart (FC-185). */
  readonly participated: boolean;
  /** The text is a command of the registry: commands are addressed by their nature, unless to another bot. */
  readonly isCommand: boolean;
  /** The account of ours that a command without a bot's name is for, when it is not this one (CM-17). */
  readonly leftTo: string | null;
  /** Another message of the same album was addressed (IN-12). */
  readonly albumAddressed: boolean;
}

export type Gate =
  | { readonly addressed: true; readonly by: string }
  | { readonly addressed: false; readonly rule: string };

const yes = (by: string): Gate => ({ addressed: true, by });
const no = (rule: string): Gate => ({ addressed: false, rule });

/** Whether the bot answers a message (IN-7). Access was decided before; a mention gives no access (FC-190). */
export function mentionGate(facts: GateFacts, rules: GateRules): Gate {
  const { mentions } = facts;
  if (facts.peer.kind === "direct") return yes(mentionRules.direct);
  if (facts.kind === "command") return yes(mentionRules.nativeCommand);
  if (mentions.bot) return yes(mentionRules.mention);
  if (rules.isCommand && rules.leftTo !== null && !mentions.replyToBot)
    return no(mentionRules.commandIsFor(rules.leftTo));
  // A reply ping of a bot is no address, and a thread two bots share would never fall silent (IN-4, FC-083).
  if (facts.sender.isBot) {
    return rules.requireMention ? no(mentionRules.otherBot) : otherwise(facts, rules);
  }
  if (mentions.replyToBot && rules.implicit.replyToBot) return yes(mentionRules.replyToBot);
  if (rules.patterns.some((pattern) => pattern.test(facts.text))) return yes(mentionRules.namePattern);
  if (rules.albumAddressed && !mentions.otherOnly) return yes(mentionRules.album);
  return otherwise(facts, rules);
}

function otherwise({ mentions, sender }: GateFacts, rules: GateRules): Gate {
  if (mentions.otherOnly) return no(mentionRules.somebodyElse);
  if (!rules.requireMention) return yes(mentionRules.noneNeeded);
  if (sender.isBot) return no(mentionRules.otherBot);
  if (rules.bound) return yes(mentionRules.bound);
  if (rules.isCommand) return yes(mentionRules.command);
  if (rules.participated && rules.implicit.threadParticipation) return yes(mentionRules.participated);
  return no(mentionRules.nothing(rules.path));
}

/**
 * IN-4, FC-082: how far two bots may talk without a person. `turnsSinceHuman` counts, from stored rows, this bot's
 * messages in this conversation that were answered since a person last wrote there; null: it may go on.
 */
export function botLoopRule(account: AccountSettings, turnsSinceHuman: number): string | null {
  if (turnsSinceHuman < account.maxBotTurns) return null;
  return accessRules.botTurns(accountPath(account), account.maxBotTurns);
}

/** The window of `limits.perSender`. */
export const RATE_WINDOW_MS = 60_000;

/** What one person started and was refused in the last minute. */
export interface SenderRate {
  /** Messages, and commands that start model work. */
  readonly started: number;
  /** The other commands. */
  readonly commands: number;
  readonly refused: number;
}

export type RateVerdict =
  | { readonly within: true }
  /** `tell`: the first refusal of the window; the person gets one line and the operator sees it. */
  | { readonly within: false; readonly rule: string; readonly tell: boolean };

/** TN-19, FC-403: counts come from the stored events of the last minute. A limit of 0 is none. */
export function rateVerdict(limits: Settings["limits"], counted: SenderRate, cost: CommandCost): RateVerdict {
  if (cost === "free") return { within: true };
  const [limit, used, rule] =
    cost === "message"
      ? [limits.perSenderPerMinute, counted.started, limitRules.messages]
      : [limits.perSenderCommandsPerMinute, counted.commands, limitRules.commands];
  if (limit <= 0 || used < limit) return { within: true };
  return { within: false, rule: rule(limit), tell: counted.refused === 0 };
}
