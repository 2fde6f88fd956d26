import type { AccountHealth } from "../../channel/adapter.ts";
import type { ChannelDescriptor } from "../../channel/descriptor.ts";
import { readPointer } from "../../channel/descriptor.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { MessagePart, Provenance, TranscriptMessage } from "../../core/message/transcript.ts";
import { nearestNames } from "../../core/nearest.ts";
import type { Clock } from "../../core/runtime.ts";
import { mainSessionKey } from "../../core/session/session-key.ts";
import type { Settings } from "../../core/settings.ts";
import { createRedactor } from "../../core/text/redact.ts";
import { callText, fileText, NOT_RUNNING, NOT_STARTED, resultText } from "../../core/texts/cli/answers.ts";
import { exportTranscript, rawTranscript } from "../../sessions/export.ts";
import { listDeliveries } from "../../store/reads/delivery/deliveries.ts";
import { pairedSenders, pairingRequests } from "../../store/reads/people/people.ts";
import { lostResults } from "../../store/reads/runs/runs.ts";
import { traceDelivery } from "../../store/reads/trace/delivery.ts";
import { transcriptTail } from "../../store/reads/turns/transcript.ts";
import {
  operatorSession,
  operatorSessions,
  recentFailures,
  recentSessionKeys,
  storeCounts,
} from "../../store/reads/upkeep/operator.ts";
import type { Store } from "../../store/store.ts";
import type { McpServerReport } from "../../tools/mcp/server.ts";
import { findMessage } from "../../trace/find-message.ts";
import { unknownMessage } from "../../trace/unknown-text.ts";
import type { ControlReads, HistoryLine, ProcessReport } from "./api.ts";

export interface ControlReadsDeps {
  readonly store: Pick<Store, "read">;
  readonly clock: Clock;
  /** The current configuration, asked for at every call. */
  readonly settings: () => Settings;
  readonly channels: readonly ChannelDescriptor[];
  /** What only a running process knows; null beside a process that does not run. */
  readonly live: {
    readonly process: () => ProcessReport;
    readonly health: (account: { readonly channel: ChannelId; readonly accountId: AccountId }) => AccountHealth | null;
    readonly servers: () => readonly McpServerReport[];
  } | null;
}

const FAILURES_SHOWN = 5;

/** The operator's view of the store, the same in the process and beside it (OP-5). Secrets in texts are masked. */
export function createControlReads({ store, clock, settings, channels, live }: ControlReadsDeps): ControlReads {
  const masker = (): ((text: string) => string) => {
    const redact = createRedactor(settings().secrets);
    return (text) => redact(text).text;
  };
  const stateOf = (account: { readonly channel: ChannelId; readonly accountId: AccountId }): string | null => {
    if (live === null) return null;
    const health = live.health(account);
    if (health === null) return NOT_STARTED;
    return health.lastError === null ? health.state : `${health.state}: ${health.lastError}`;
  };
  return {
    status: async () => {
      const mask = masker();
      const counts = await store.read(storeCounts, clock.now());
      const failures = await store.read(recentFailures, { limit: FAILURES_SHOWN });
      return {
        process: live?.process() ?? null,
        accounts: settings().accounts.map((account) => ({
          channel: account.channel,
          accountId: account.accountId,
          health: live?.health(account) ?? null,
        })),
        servers:
          live?.servers() ??
          settings().mcp.servers.map(({ name }) => ({
            name,
            state: NOT_RUNNING,
            since: 0,
            tools: 0,
            lastError: null,
          })),
        counts,
        failures: failures.map((failure) => ({ ...failure, message: mask(failure.message) })),
      };
    },
    sessions: async (input) => {
      const found = await store.read(operatorSessions, input);
      return found.map(({ session, status, title }) => ({
        key: session.key,
        sessionId: session.sessionId,
        agentId: session.agentId,
        kind: session.kind,
        channel: session.channel,
        label: session.label,
        displayName: session.displayName,
        title,
        updatedAt: session.updatedAt,
        inputTokens: session.inputTokens,
        outputTokens: session.outputTokens,
        status,
      }));
    },
    history: async ({ session: reference, limit }) => {
      const mask = masker();
      const found = await store.read(operatorSession, referenceOf(reference, settings()));
      if (found === null) {
        // SK-6: a main session exists before anybody wrote there.
        const key = [...settings().agents.keys()]
          .map(mainSessionKey)
          .find((main) => main === referenceOf(reference, settings()));
        if (key !== undefined) return { found: true, key, sessionId: "", messages: [] };
        return { found: false, close: nearestNames(reference, await store.read(recentSessionKeys, null)) };
      }
      const messages = await store.read(transcriptTail, { sessionId: found.sessionId, limit });
      return {
        found: true,
        key: found.session.key,
        sessionId: found.sessionId,
        messages: messages.map((message) => historyLine(message, mask)),
      };
    },
    export: async ({ session: reference, format, raw }) => {
      const found = await store.read(operatorSession, referenceOf(reference, settings()));
      if (found === null)
        return { found: false, close: nearestNames(reference, await store.read(recentSessionKeys, null)) };
      const { session, sessionId } = found;
      if (raw) return { found: true, key: session.key, ...(await rawTranscript(store, sessionId)) };
      const options = { format, includeTools: true, secrets: settings().secrets, now: clock.now() };
      const { text, messages } = await exportTranscript(store, { session, sessionId }, options);
      return { found: true, key: session.key, text, messages };
    },
    deliveries: async ({ failed, ...input }) => {
      const found = await store.read(listDeliveries, { ...input, lostOnly: failed });
      return masked(found, masker());
    },
    delivery: async ({ id }) => masked(await store.read(traceDelivery, id), masker()),
    lostResults: async ({ limit }) => await store.read(lostResults, { limit }),
    why: async ({ reference }) => {
      const pointed = readPointer(channels, reference);
      const found = await findMessage(store, reference, pointed);
      if (found.found !== "none") return masked(found, masker());
      const facts = { pointed, channels, settings: settings(), now: clock.now() };
      return { found: "none", advice: masked(unknownMessage({ ...facts, account: stateOf }), masker()) };
    },
    pairing: async () => ({
      waiting: await store.read(pairingRequests, { now: clock.now(), account: null }),
      paired: await store.read(pairedSenders, null),
    }),
  };
}

/** Every text in it through `mask`: what an operator's screen shows holds no secret (OP-7). */
function masked<T>(value: T, mask: (text: string) => string): T {
  const through = (one: unknown): unknown => {
    if (typeof one === "string") return mask(one);
    if (Array.isArray(one)) return one.map(through);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, through(inner)]));
  };
  // Masking changes texts, not shapes.
  return through(value) as T;
}

/** `main` is the default agent's main session (SK-6). */
export function referenceOf(reference: string, { defaultAgentId }: Settings): string {
  return reference === "main" && defaultAgentId !== null ? mainSessionKey(defaultAgentId) : reference;
}

function historyLine(message: TranscriptMessage, mask: (text: string) => string): HistoryLine {
  return {
    seq: message.seq,
    at: message.createdAt,
    role: message.role,
    from: fromText(message.provenance),
    text: mask(
      message.parts
        .map(partText)
        .filter((text) => text !== "")
        .join("\n"),
    ),
  };
}

function fromText(provenance: Provenance): string {
  switch (provenance.kind) {
    case "human":
      return provenance.senderName;
    case "assistant":
      return provenance.agentId;
    case "tool":
      return provenance.tool;
    case "system":
      return provenance.source;
    case "task":
    case "schedule":
    case "hook":
    case "inter_session":
    case "completion":
      return `${provenance.kind} from ${provenance.from}`;
  }
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return "";
    case "tool_call":
      return callText(part.name, JSON.stringify(part.args));
    case "tool_result":
      return resultText(
        part.name,
        part.isError,
        typeof part.result === "string" ? part.result : JSON.stringify(part.result),
      );
    case "attachment":
      return fileText(part.attachment.name, part.attachment.bytes);
  }
}
