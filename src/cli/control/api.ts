import { z } from "zod";
import type { AccountHealth } from "../../channel/adapter.ts";
import type { Route } from "../../core/delivery/delivery.ts";
import { DELIVERY_STATES, type Delivery } from "../../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../sessions/export.ts";
import type { DeliveryFilter } from "../../store/reads/delivery/deliveries.ts";
import type { PairedSender, PairingRequest } from "../../store/reads/people/people.ts";
import type { LostResult } from "../../store/reads/runs/runs.ts";
import type { DeliveryTrace } from "../../store/reads/trace/delivery.ts";
import type { OperatorFailure, OperatorSession, StoreCounts } from "../../store/reads/upkeep/operator.ts";
import type { DeliveryCommandResult } from "../../store/steps/delivery/retry-delivery.ts";
import type { Forgotten } from "../../store/steps/people/forget-sender.ts";
import type { PairedPerson } from "../../store/steps/people/pairing-approve.ts";
import type { RetryCompletionResult } from "../../store/steps/runs/retry-completion.ts";
import type { McpServerReport } from "../../tools/mcp/server.ts";
import type { FoundMessage } from "../../trace/find-message.ts";

export interface ProcessReport {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  /** Where the page is, such as `http://127.0.0.1:4180`; null while there is none. */
  readonly url: string | null;
}

export interface StatusReport {
  /** null when it was read from the store of a process that does not run. */
  readonly process: ProcessReport | null;
  readonly accounts: readonly {
    readonly channel: ChannelId;
    readonly accountId: AccountId;
    /** null when no process runs. */
    readonly health: AccountHealth | null;
  }[];
  /** The MCP servers (ST-42). */
  readonly servers: readonly (Omit<McpServerReport, "state"> & {
    readonly state: McpServerReport["state"] | "not running";
  })[];
  readonly counts: StoreCounts;
  /** What went wrong lately, newest first. */
  readonly failures: readonly OperatorFailure[];
}

export type SessionLine = Pick<
  Session,
  | "key"
  | "sessionId"
  | "agentId"
  | "kind"
  | "channel"
  | "label"
  | "displayName"
  | "updatedAt"
  | "inputTokens"
  | "outputTokens"
> &
  Pick<OperatorSession, "status" | "title">;

export interface HistoryLine {
  readonly seq: number;
  readonly at: number;
  readonly role: "user" | "assistant" | "tool";
  /** Who wrote it, in a word or two. */
  readonly from: string;
  /** With secrets masked. */
  readonly text: string;
}

/** `unknown`: no such session; `close`: keys it may have meant. */
export type HistoryReport =
  | {
      readonly found: true;
      readonly key: SessionKey;
      readonly sessionId: string;
      readonly messages: readonly HistoryLine[];
    }
  | { readonly found: false; readonly close: readonly string[] };

export type ExportReport =
  | { readonly found: true; readonly key: SessionKey; readonly messages: number; readonly text: string }
  | { readonly found: false; readonly close: readonly string[] };

export type SendReport =
  /** `route`: where the answer goes; null: nowhere outside, it is only in the history (TN-15). */
  | { readonly accepted: true; readonly key: SessionKey; readonly inboxSeq: number; readonly route: Route | null }
  | { readonly accepted: false; readonly close: readonly string[] };

export interface PairingReport {
  readonly waiting: readonly PairingRequest[];
  readonly paired: readonly PairedSender[];
}

/** What only looks: served by the process, or from a read-only open of its store (OP-5). */
export interface ControlReads {
  status(input: Record<string, never>): Promise<StatusReport>;
  sessions(input: { readonly search: string | null; readonly limit: number }): Promise<readonly SessionLine[]>;
  /** `session`: a session key or session id, or `main`. */
  history(input: { readonly session: string; readonly limit: number }): Promise<HistoryReport>;
  /** The whole transcript; `raw`: the stored rows verbatim, always as JSON lines. */
  export(input: ExportInput): Promise<ExportReport>;
  /** With secrets masked. */
  deliveries(input: DeliveriesInput): Promise<readonly Delivery[]>;
  /** The whole history of one (DL-16), with secrets masked; null: there is none. */
  delivery(input: { readonly id: number }): Promise<DeliveryTrace | null>;
  /** Results of sub-agents that could not be worked on (CP-2). */
  lostResults(input: { readonly limit: number }): Promise<readonly LostResult[]>;
  why(input: { readonly reference: string }): Promise<WhyReport>;
  pairing(input: Record<string, never>): Promise<PairingReport>;
}

/** What changes something: only the process does that. */
export interface ControlChanges {
  /** `id` makes a repeated send one input. */
  send(input: { readonly session: string; readonly text: string; readonly id: string }): Promise<SendReport>;
  retryDelivery(input: { readonly id: number }): Promise<DeliveryCommandResult>;
  /** `id` makes a repeated retry one. */
  retryResult(input: { readonly runId: string; readonly id: string }): Promise<RetryCompletionResult>;
  dismissDelivery(input: { readonly id: number }): Promise<DeliveryCommandResult>;
  approvePairing(
    input: PairingInput & { readonly owner: boolean },
  ): Promise<{ readonly person: PairedPerson; readonly owners: number } | null>;
  denyPairing(input: PairingInput): Promise<PairedPerson | null>;
  /** Deletes one person's data (OP-10). */
  forget(input: Forgotten): Promise<ForgetReport>;
}

/** How many rows of each kind were deleted or made nameless. */
export interface ForgetReport {
  readonly messages: number;
  readonly inputs: number;
  readonly events: number;
  readonly access: number;
  /** Keys of the configuration that name the person and are the operator's to change. */
  readonly configured: readonly string[];
}

/** `advice`: what there is to look at, one line each. */
export type WhyReport =
  | Exclude<FoundMessage, { readonly found: "none" }>
  | { readonly found: "none"; readonly advice: readonly string[] };

export type DeliveriesInput = DeliveryFilter & { readonly failed: boolean; readonly limit: number };

export interface ExportInput {
  readonly session: string;
  readonly format: ExportFormat;
  readonly raw: boolean;
}

export interface PairingInput {
  readonly channel: string;
  /** null: any account. */
  readonly accountId: string | null;
  readonly code: string;
}

/** What the command line may ask of the running process. */
export type ControlApi = ControlReads & ControlChanges;
export type ControlMethod = keyof ControlApi;

const limit = z.int().min(1).max(1_000);
const empty = z.strictObject({});
const pairingInput = z.strictObject({
  channel: z.string().min(1),
  accountId: z.string().nullable(),
  code: z.string().min(1),
});
const delivery = z.strictObject({ id: z.int().positive() });

/** What arrives over the socket is parsed by these; a method that is not here does not exist. */
export const CONTROL_INPUTS = {
  status: empty,
  sessions: z.strictObject({ search: z.string().nullable(), limit }),
  history: z.strictObject({ session: z.string().min(1), limit }),
  export: z.strictObject({ session: z.string().min(1), format: z.enum(EXPORT_FORMATS), raw: z.boolean() }),
  deliveries: z.strictObject({
    failed: z.boolean(),
    limit,
    state: z.enum(DELIVERY_STATES).optional(),
    channel: z.string().optional(),
    accountId: z.string().optional(),
    to: z.string().optional(),
    sessionKey: z.string().optional(),
    since: z.int().optional(),
  }),
  delivery,
  lostResults: z.strictObject({ limit }),
  why: z.strictObject({ reference: z.string().min(1) }),
  pairing: empty,
  send: z.strictObject({ session: z.string().min(1), text: z.string().min(1).max(65_536), id: z.uuid() }),
  retryDelivery: delivery,
  retryResult: z.strictObject({ runId: z.string().min(1), id: z.uuid() }),
  dismissDelivery: delivery,
  approvePairing: pairingInput.extend({ owner: z.boolean() }),
  denyPairing: pairingInput,
  forget: z.strictObject({ channel: z.string().min(1), senderId: z.string().min(1) }),
} satisfies Record<ControlMethod, z.ZodType>;

export function isControlMethod(name: string): name is ControlMethod {
  return Object.hasOwn(CONTROL_INPUTS, name);
}
