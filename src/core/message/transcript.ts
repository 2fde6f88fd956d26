import type { AgentId, CallId, RunId, SessionId, TurnId } from "../ids.ts";
import type { Json, JsonObject } from "../json.ts";
import type { SenderRef } from "../session/rights.ts";
import type { SessionKey } from "../session/session-key.ts";
import { withoutEnvelope } from "../text/prompt-words.ts";
import { sanitise } from "../text/sanitise.ts";
import { wordsOf } from "../text/search-query.ts";

/** Where a stored message comes from (TN-14). `human` instructs; `task`, `schedule` and `hook` instruct within stored rights; the rest is data. */
export type Provenance =
  | {
      readonly kind: "human";
      readonly sender: SenderRef;
      readonly senderName: string;
      readonly messageId: string | null;
    }
  | { readonly kind: "task" | "schedule" | "hook"; readonly from: string }
  | { readonly kind: "assistant"; readonly agentId: AgentId; readonly model: string }
  | { readonly kind: "tool"; readonly tool: string }
  | { readonly kind: "inter_session"; readonly from: SessionKey; readonly agentId: AgentId; readonly runId: RunId }
  | { readonly kind: "completion"; readonly from: SessionKey; readonly runId: RunId }
  | { readonly kind: "system"; readonly source: string };

/** The `source` of the entry that replaces older messages (TN-12). */
export const COMPACTION = "compaction";

/** Metadata of a stored attachment; its bytes lie under the data folder by content hash (IN-12). */
export interface StoredAttachment {
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly sha256: string;
}

export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  /** `signature` is what a provider wants back unchanged; never shown (ST-9). */
  | { readonly type: "reasoning"; readonly text: string; readonly providerData: JsonObject | null }
  | {
      readonly type: "tool_call";
      readonly callId: CallId;
      readonly name: string;
      readonly args: Json;
      readonly providerData: JsonObject | null;
    }
  | {
      readonly type: "tool_result";
      readonly callId: CallId;
      readonly name: string;
      readonly result: Json;
      readonly isError: boolean;
    }
  | { readonly type: "attachment"; readonly attachment: StoredAttachment };

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Of the input, what was written to the provider's cache at a price of its own. */
  readonly cacheWrite?: number;
  /** The provider counted nothing (FC-315). */
  readonly estimated?: true;
}

/** One row of a transcript. `seq` orders all transcripts of a store. */
export interface TranscriptMessage {
  readonly seq: number;
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId | null;
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly MessagePart[];
  readonly provenance: Provenance;
  readonly usage: TokenUsage | null;
  readonly createdAt: number;
}

export type NewMessage = Pick<TranscriptMessage, "role" | "parts" | "provenance" | "usage">;

/** The text parts of a message, joined; what people and other sessions may read of it. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");
}

/** A message is found by its first words only; no person and no model writes more in one. */
const MAX_WORDS = 10_000;

/**
 * True for what `sessions_search` looks through (`ST-11`): words of people, of tasks and schedules, and of assistants; never
 * tools, notices, or what comes from another session, where it stands already.
 */
function isSearched({ provenance }: Pick<NewMessage, "provenance">): boolean {
  switch (provenance.kind) {
    case "human":
    case "task":
    case "schedule":
    case "hook":
    case "assistant":
      return true;
    case "tool":
    case "inter_session":
    case "completion":
    case "system":
      return false;
  }
}

/** The text of a searched message as history shows it, without the lines that say who wrote it where. */
export function searchableText({ role, parts }: Pick<NewMessage, "role" | "parts">): string {
  const text = textOf(parts);
  return role === "assistant" ? sanitise(text).text : withoutEnvelope(text);
}

/** A session's life as a word of the index; no text can hold it, because words hold no signs. */
export function lifePlace(sessionId: SessionId): string {
  return `§s${sessionId.replaceAll("-", "")}`;
}

/** An agent as a word of the index. */
export function agentPlace(agentId: string): string {
  return `§a${Buffer.from(agentId, "utf8").toString("hex")}`;
}

/** The text that the index keeps of a message: its words, and where it stands. Null: it is not searched. */
export function indexedWords(
  message: Pick<NewMessage, "role" | "parts" | "provenance">,
  owner: { readonly sessionId: SessionId; readonly agentId: string },
): string | null {
  const words = isSearched(message) ? wordsOf(searchableText(message), MAX_WORDS) : [];
  if (words.length === 0) return null;
  const places = [agentPlace(owner.agentId), lifePlace(owner.sessionId)];
  return [...words.map(({ word }) => word), ...places].join(" ");
}
