import type { SessionId } from "../ids.ts";
import { withoutEnvelope } from "../text/markers.ts";
import { sanitise } from "../text/sanitise.ts";
import { wordsOf } from "../text/search-query.ts";
import { type NewMessage, textOf } from "./transcript.ts";

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
