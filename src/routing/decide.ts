import type { AgentId } from "../core/ids.ts";
import type { InboundEvent } from "../core/message/inbound-event.ts";
import type { PairedFacts } from "../core/session/present-access.ts";
import type { Rights } from "../core/session/rights.ts";
import type { Activation, ThinkingLevel } from "../core/session/session.ts";
import { agentOf, type SessionKey } from "../core/session/session-key.ts";
import type { AccountSettings } from "../core/settings.ts";
import { accessRules, eventRules, limitRules, mentionRules } from "../core/texts/rules.ts";
import { type Admission, admit, type ChannelDoor } from "./admission.ts";
import type { RoutingIndex } from "./agent-rules.ts";
import {
  type AgentChoice,
  botLoopRule,
  chooseAgent,
  type Gate,
  mentionGate,
  rateVerdict,
  type SenderRate,
} from "./agent-rules.ts";
import type { CommandCost, CommandGate, RecognisedCommand } from "./command-gate.ts";
import { accountPath, inThread, type ResolvedPlace, resolveKey } from "./places.ts";

/** What the store knows that a decision needs; read once per event. */
export interface StoredFacts {
  readonly paired: PairedFacts;
  readonly pairedOwners: number;
  readonly formerPeerId: string | null;
  /** The session this conversation is bound to (TB-3). */
  readonly bound: SessionKey | null;
  /** What `/activation` says of this place (CM-13); null: nothing. */
  readonly activation: Activation | null;
  readonly participated: boolean;
  /** CM-17: the other account that a command without a bot's name is for; null: none. */
  readonly commandIsFor: string | null;
  readonly albumAddressed: boolean;
  readonly botTurnsSinceHuman: number;
  readonly senderRate: SenderRate;
}

export interface DecisionContext {
  readonly index: RoutingIndex;
  readonly account: AccountSettings;
  readonly door: ChannelDoor;
  readonly commands: CommandGate;
  readonly stored: StoredFacts;
  /** By the platform's clock, like the time of the event (FC-320). */
  readonly platformNow: number;
}

/** An event that starts something, with all that storing it needs. */
export interface Start {
  readonly place: ResolvedPlace;
  readonly agentId: AgentId;
  readonly rights: Rights;
  readonly rule: string;
  /** IN-16: this message tells where its session's people are. */
  readonly updatesLastRoute: boolean;
  /** Where unaddressed messages before it were kept (IN-7). */
  readonly contextKeys: readonly SessionKey[];
}

export type Decision =
  | {
      readonly decision: "message";
      readonly start: Start;
      readonly text: string;
      readonly thinking: ThinkingLevel | null;
      /** The web page's operator writes without an envelope. */
      readonly plain: boolean;
    }
  | {
      readonly decision: "command";
      readonly start: Start;
      readonly command: RecognisedCommand;
      readonly cost: CommandCost;
      readonly denied: string | null;
    }
  /** Not addressed: remembered as context, if anything is. */
  | { readonly decision: "keep"; readonly key: SessionKey; readonly rule: string }
  | {
      readonly decision: "refuse";
      readonly result: "refused" | "ignored" | "stale";
      readonly rule: string;
      /** Who hears of it: the person about pairing and limits, the operator about limits and a missing agent. */
      readonly tell: "pairing" | "rate limit" | "no agent" | null;
      /** Which of their limits the person reached (FC-403). */
      readonly limited?: CommandCost;
    };

type Refusal = Extract<Decision, { readonly decision: "refuse" }>;

/**
 * Decides about a message or a native command: access, then agent and binding, then the mention gate, then commands, then
 * limits (FC-190). Pure: it depends on its arguments only.
 */
export function decide(event: InboundEvent, context: DecisionContext): Decision {
  const { index, account, door, stored } = context;
  const { formerPeerId, paired, bound } = stored;
  const admission = admit(event, { account, door, roles: index.roles, paired, formerPeerId });
  if (!admission.admitted) return refusedAdmission(admission, event.sender.isBot);
  const peerIds = formerPeerId === null ? [event.peer.id] : [event.peer.id, formerPeerId];
  const agent: AgentChoice =
    bound === null
      ? chooseAgent(index.agents, event, admission.place, peerIds)
      : { chosen: true, agentId: agentOf(bound), binding: null, rule: mentionRules.bound };
  if (!agent.chosen) return refused("refused", agent.rule, "no agent");
  if (!index.settings.agents.has(agent.agentId)) {
    return refused("refused", accessRules.unknownAgent(agent.rule, agent.agentId), "no agent");
  }

  // Only where a mention singles the bot out does one bare word behind it ask for a command; elsewhere it is a word.
  const bareNames = event.peer.kind !== "direct" && door.access !== "operator";
  const command = context.commands.read(event, { bareNames });
  const gate = mentionGate(event, gateRules(context, admission, command !== null));
  const place =
    boundPlace(bound, event) ?? resolveKey(event, { ...keyScope(context, agent), addressed: gate.addressed });
  if (!gate.addressed) return { decision: "keep", key: place.key, rule: `not addressed: ${gate.rule}` };

  const typo = admission.commandsDenied === null ? context.commands.readTypo(event) : null;
  const recognised = command ?? context.commands.readPlainStop(event) ?? typo;
  const cost = recognised === null ? "message" : context.commands.costOf(recognised);
  const limited = refusedByLimits(event, context, {
    cost,
    ofAlbum: recognised === null && context.stored.albumAddressed,
  });
  const within = recognised === null || limited === null ? recognised : withoutWords(recognised, context, limited);
  if (limited !== null && within === null) return limited;
  const start = startOf(event, { context, admission, agent, gate, place });
  if (within !== null) {
    const spent = limited === null ? cost : "free";
    const rule = spent === "message" ? limitRules.countsAsMessage(start.rule) : start.rule;
    const denied = admission.commandsDenied;
    return { decision: "command", start: { ...start, rule }, command: within, cost: spent, denied };
  }
  const cut =
    admission.commandsDenied === null ? context.commands.cutDirectives(event) : { text: event.text, thinking: null };
  return { decision: "message", start, ...cut, plain: door.access === "operator" };
}

function refused(result: Refusal["result"], rule: string, tell: Refusal["tell"] = null): Refusal {
  return { decision: "refuse", result, rule, tell };
}

function refusedAdmission(admission: Extract<Admission, { readonly admitted: false }>, isBot: boolean): Refusal {
  if (admission.why === "self") return refused("ignored", admission.rule);
  return refused("refused", admission.rule, admission.why === "pairing" && !isBot ? "pairing" : null);
}

/** FC-403: a person who wrote too much can still send a stop; only the text after it is not read. */
function withoutWords(
  command: RecognisedCommand,
  context: DecisionContext,
  { limited }: Refusal,
): RecognisedCommand | null {
  const bare = { ...command, args: "" };
  return limited !== undefined && context.commands.costOf(bare) === "free" ? bare : null;
}

/** Limits hold only for what would start something. The rest of an album belongs to a message that was counted. */
function refusedByLimits(
  event: InboundEvent,
  { account, index, stored, platformNow }: DecisionContext,
  { cost, ofAlbum }: { readonly cost: CommandCost; readonly ofAlbum: boolean },
): Refusal | null {
  const loop = event.sender.isBot ? botLoopRule(account, stored.botTurnsSinceHuman) : null;
  if (loop !== null) return refused("refused", loop);
  if (event.sentAt < platformNow - index.settings.catchUpMaxAgeMs) {
    return refused("stale", eventRules.tooOld);
  }
  if (ofAlbum) return null;
  const rate = rateVerdict(index.settings.limits, stored.senderRate, cost);
  return rate.within ? null : { ...refused("refused", rate.rule, rate.tell ? "rate limit" : null), limited: cost };
}

type Admitted = Extract<Admission, { readonly admitted: true }>;
type Chosen = Extract<AgentChoice, { readonly chosen: true }>;

function gateRules({ index, account, door, stored }: DecisionContext, admission: Admitted, isCommand: boolean) {
  const { messages } = index.settings;
  const { activation } = stored;
  const configured = admission.place?.requireMention ?? true;
  return {
    // Where only the operator writes, everything is for the agent.
    requireMention: door.access !== "operator" && (activation === null ? configured : activation === "mention"),
    path:
      activation === null
        ? `${admission.place?.path ?? accountPath(account)}.requireMention is true`
        : mentionRules.activation,
    patterns: messages.mentionPatterns,
    implicit: messages.implicitMentions,
    bound: stored.bound !== null,
    participated: stored.participated,
    isCommand,
    leftTo: stored.commandIsFor,
    albumAddressed: stored.albumAddressed,
  };
}

function keyScope({ index, account }: DecisionContext, agent: Chosen) {
  const { session } = index.settings;
  return {
    agentId: agent.agentId,
    dmScope: agent.binding?.session.dmScope ?? session.dmScope,
    groupScope: agent.binding?.session.groupScope ?? session.groupScope,
    identityLinks: session.identityLinks,
    replyToMode: account.replyToMode,
  };
}

/** A bound conversation's messages go to the session it is bound to, not to the one its own key would give (TB-3). */
function boundPlace(bound: SessionKey | null, event: InboundEvent): ResolvedPlace | null {
  if (bound === null) return null;
  const threadId = inThread(event.thread) ? event.thread.id : event.route.threadId;
  return { key: bound, parent: null, route: { ...event.route, threadId } };
}

function startOf(
  event: InboundEvent,
  parts: {
    readonly context: DecisionContext;
    readonly admission: Admitted;
    readonly agent: Chosen;
    readonly gate: Extract<Gate, { readonly addressed: true }>;
    readonly place: ResolvedPlace;
  },
): Start {
  const { context, admission, agent, gate, place } = parts;
  const { route } = event;
  const group =
    event.peer.kind === "direct"
      ? null
      : {
          channel: route.channel,
          accountId: route.accountId,
          id: event.peer.id,
          formerId: context.stored.formerPeerId,
          guildId: event.guildId,
          topicId: inThread(event.thread) ? event.thread.id : null,
        };
  const sender = { channel: route.channel, accountId: route.accountId, id: event.sender.id };
  const startsThread = event.thread.kind === "root" && place.parent !== null;
  return {
    place,
    agentId: agent.agentId,
    rights: { role: admission.role, sender, group },
    rule: `${gate.by}; ${agent.rule}`,
    updatesLastRoute: updatesLastRoute(event, { context, admission, place }),
    contextKeys: startsThread && place.parent !== null ? [place.key, place.parent.key] : [place.key],
  };
}

/**
 * IN-16, FC-107: people's messages tell where they are, bots' never do. A main session that DMs share follows its one owner
 * when there is exactly one, so that another person's DM cannot receive its announcements.
 */
function updatesLastRoute(
  event: InboundEvent,
  { context, admission, place }: { context: DecisionContext; admission: Admitted; place: ResolvedPlace },
): boolean {
  if (event.sender.isBot) return false;
  const shared = event.peer.kind === "direct" && place.key === `agent:${agentOf(place.key)}:main`;
  const owners = context.index.roles.ownerCount + context.stored.pairedOwners;
  return !shared || owners !== 1 || admission.role === "owner" || context.door.access === "operator";
}
