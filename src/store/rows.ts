import type { Selectable } from "kysely";
import type {
  Delivery,
  DeliveryAct,
  DeliveryContent,
  DeliveryState,
  ReadBack,
  Route,
} from "../core/delivery/delivery.ts";
import type { JsonObject } from "../core/json.ts";
import type { InboxItem, InboxPayload, InboxState } from "../core/message/inbox-item.ts";
import type { MessagePart, Provenance, TokenUsage, TranscriptMessage } from "../core/message/transcript.ts";
import type { QueueOverride } from "../core/message/turn-inputs.ts";
import type { ChainStop, ChainUse } from "../core/session/chain.ts";
import type { Rights } from "../core/session/rights.ts";
import type {
  Binding,
  Chain,
  Exchange,
  ExchangePhase,
  ExchangeState,
  Run,
  RunOutcome,
  RunState,
  StateEvent,
} from "../core/session/run.ts";
import type { Goal, Session, ThinkingLevel, UsageLine } from "../core/session/session.ts";
import type { SessionKey, SessionKind } from "../core/session/session-key.ts";
import type { Turn, TurnOutcome, TurnSource } from "../core/session/turn.ts";
import type { DeliveriesTable, DeliveryActsTable } from "./tables/outside.ts";
import type { MessagesTable, SessionsTable, StateEventsTable } from "./tables/sessions.ts";
import type { BindingsTable, ChainsTable, ExchangesTable, InboxTable, RunsTable, TurnsTable } from "./tables/work.ts";

/* The edge between rows and the product's types: the only place where a column's text becomes a typed value. */

function json<T>(text: string): T {
  return JSON.parse(text) as T;
}

function nullableJson<T>(text: string | null): T | null {
  return text === null ? null : json<T>(text);
}

export function sessionFromRow(row: Selectable<SessionsTable>): Session {
  return {
    key: row.key as SessionKey,
    sessionId: row.session_id,
    agentId: row.agent_id,
    kind: row.kind as SessionKind,
    channel: row.channel,
    label: row.label,
    displayName: row.display_name,
    modelOverride: row.model_override,
    thinking: row.thinking as ThinkingLevel | null,
    showReasoning: row.show_reasoning === 1,
    queue: nullableJson<QueueOverride>(row.queue_json),
    verbose: row.show_tools === 1,
    usageLine: row.usage_line as UsageLine,
    spawnedBy: row.spawned_by as SessionKey | null,
    depth: row.depth,
    sendPolicy: row.send_policy as Session["sendPolicy"],
    pinned: row.pinned === 1,
    archivedAt: row.archived_at,
    originRoute: nullableJson<Route>(row.origin_route_json),
    lastRoute: nullableJson<Route>(row.last_route_json),
    stateVersion: row.state_version,
    watched: row.watched === 1,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_tokens,
    contextTokens: row.context_tokens,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastHumanAt: row.last_human_at,
    resetDue: row.reset_due === 1,
    yieldWait: row.yield_wait as Session["yieldWait"],
    yieldNote: row.yield_note,
    goal: nullableJson<Goal>(row.goal_json),
  };
}

export function messageFromRow(row: Selectable<MessagesTable>): TranscriptMessage {
  return {
    seq: row.seq,
    sessionId: row.session_id,
    sessionKey: row.session_key as SessionKey,
    turnId: row.turn_id,
    role: row.role as TranscriptMessage["role"],
    parts: json<MessagePart[]>(row.parts_json),
    provenance: json<Provenance>(row.provenance_json),
    usage: nullableJson<TokenUsage>(row.usage_json),
    createdAt: row.created_at,
  };
}

export function inboxItemFromRow(row: Selectable<InboxTable>): InboxItem {
  return {
    seq: row.seq,
    key: row.key,
    sessionKey: row.session_key as SessionKey,
    state: row.state as InboxState,
    payload: json<InboxPayload>(row.payload_json),
    provenance: json<Provenance>(row.provenance_json),
    route: nullableJson<Route>(row.route_json),
    rights: json<Rights>(row.rights_json),
    turnId: row.turn_id,
    runId: row.run_id,
    callId: row.call_id,
    cause: row.cause,
    receivedAt: row.received_at,
    createdAt: row.created_at,
  };
}

export function turnFromRow(row: Selectable<TurnsTable>): Turn {
  return {
    id: row.id,
    sessionKey: row.session_key as SessionKey,
    sessionId: row.session_id,
    source: json<TurnSource>(row.source_json),
    fence: row.fence,
    begins: row.begins,
    runId: row.run_id,
    outcome: row.outcome as TurnOutcome | null,
    error: row.error,
    stopRequested: row.stop_requested === 1,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

export function chainUseFromRow(row: Selectable<ChainsTable>): ChainUse {
  return {
    id: row.id,
    origin: { sessionKey: row.origin_key as SessionKey, route: nullableJson<Route>(row.route_json) },
    turns: Number(row.turns),
    modelCalls: Number(row.model_calls),
    tokens: Number(row.tokens),
    stoppedBy: row.stopped_by as ChainStop | null,
  };
}

export function runFromRow(row: Selectable<RunsTable>): Run {
  return {
    id: row.id,
    kind: row.kind as Run["kind"],
    callId: row.call_id,
    sessionKey: row.session_key as SessionKey,
    wake: { key: row.wake_key as SessionKey, sessionId: row.wake_session_id },
    route: nullableJson<Route>(row.route_json),
    rights: json<Rights>(row.rights_json),
    chain: nullableJson<Chain>(row.chain_json),
    state: row.state as RunState,
    outcome: row.outcome as RunOutcome | null,
    result: row.result,
    error: row.error,
    task: row.task,
    label: row.label,
    taskName: row.task_name,
    mode: row.mode as Run["mode"],
    cleanup: row.cleanup as Run["cleanup"],
    agentId: row.agent_id,
    model: row.model,
    depth: row.depth,
    expectsCompletion: row.expects_completion === 1,
    completionTarget: row.completion_target as Run["completionTarget"],
    context: row.context as Run["context"],
    timeoutAt: row.timeout_at,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

export function bindingFromRow(row: Selectable<BindingsTable>): Binding {
  return {
    id: row.id,
    sessionKey: row.session_key as SessionKey,
    state: row.state as Binding["state"],
    route: json<Route>(row.route_json),
    runId: row.run_id,
    createdBy: row.created_by,
    idleMs: row.idle_ms,
    maxAgeMs: row.max_age_ms,
    createdAt: row.created_at,
    lastActivity: row.last_activity,
    reason: row.reason as Binding["reason"],
  };
}

export function exchangeFromRow(row: Selectable<ExchangesTable>): Exchange {
  return {
    runId: row.run_id,
    callId: row.call_id,
    from: row.from_key as SessionKey,
    to: row.to_key as SessionKey,
    fromSessionId: row.from_session_id,
    toSessionId: row.to_session_id,
    fromTurnId: row.from_turn_id,
    state: row.state as ExchangeState,
    deadline: row.deadline,
    route: nullableJson<Route>(row.route_json),
    rights: json<Rights>(row.rights_json),
    chain: json<Chain>(row.chain_json),
    phase: row.phase as ExchangePhase,
    round: row.round,
    rounds: row.rounds,
    announces: row.announces === 1,
    reply: row.reply,
    replyStatus: row.reply_status as Exchange["replyStatus"],
    createdAt: row.created_at,
  };
}

export function deliveryFromRow(row: Selectable<DeliveriesTable>): Delivery {
  return {
    id: row.id,
    key: row.key,
    route: json<Route>(row.route_json),
    content: json<DeliveryContent>(row.content_json),
    state: row.state as DeliveryState,
    revision: row.revision,
    messageIds: json<string[]>(row.message_ids_json),
    attempts: row.attempts,
    nextAt: row.next_at,
    reason: row.reason,
    sessionKey: row.session_key as SessionKey | null,
    turnId: row.turn_id,
    runId: row.run_id,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  };
}

export function deliveryActFromRow(row: Selectable<DeliveryActsTable>): DeliveryAct {
  return {
    act: row.act as DeliveryAct["act"],
    startedAt: row.started_at,
    at: row.at,
    reason: row.reason,
    messageIds: json<string[]>(row.message_ids_json),
    readBack: row.read_back as ReadBack | null,
    what: row.what as DeliveryAct["what"],
    folded: row.folded,
  };
}

export function stateEventFromRow(row: Selectable<StateEventsTable>): StateEvent {
  return {
    sequence: row.sequence,
    sessionKey: row.session_key as SessionKey,
    kind: row.kind as StateEvent["kind"],
    actorType: row.actor_type as StateEvent["actorType"],
    actor: row.actor,
    runId: row.run_id,
    at: row.at,
    summary: row.summary,
    payload: json<JsonObject>(row.payload_json),
  };
}
