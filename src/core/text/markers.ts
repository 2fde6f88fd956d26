/**
 * The first words of every envelope Switchyard puts around what an agent reads or replays. A new envelope goes into
 * this list, or people could imitate it.
 */
export const MARKERS: readonly string[] = [
  "Inter-session message",
  "Subagent Task",
  "Message from",
  "Replying to",
  "Forwarded from",
  "Inline result",
  "Preview of",
  "Reply-back",
  "Completion",
  "Queued",
  "System",
  "Tool Call",
  "Tool Calls",
  "Tool Result",
  "Tool Results",
  "Historical context",
  "Active Subagents",
  "Recently completed",
  "Announce",
  "Notice",
  "Stats",
  "Stopped before",
  "Attachment",
  "Attachments",
];

/** Characters that are invisible between the bracket and the word, and so would hide an imitation. */
const INVISIBLE = String.raw`[\s\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]*`;
const MARKER = new RegExp(
  String.raw`(?<!\\)[[［](?=${INVISIBLE}(?:${MARKERS.map((words) => words.replaceAll(" ", String.raw`\s+`)).join("|")})(?![A-Za-z0-9_]))`,
  "gi",
);

/**
 * Puts a backslash before the bracket of every Switchyard marker in text from people, so that it cannot imitate an
 * envelope (`IN-10`, FC-110). Any case; other text is unchanged; idempotent; linear.
 */
export function escapeMarkers(text: string): string {
  return text.replace(MARKER, "\\$&");
}

/*
 * What Switchyard puts in front of the words of a person, a session or a task (IN-10, SP-4, ST-23). People's own brackets are
 * escaped, so these can only be ours.
 */
const HEAD =
  /^(?:\[Historical context:[^\]\n]*\](?:\n>[^\n]*)*(?:\n|$)|\[(?:Message from|Inter-session message)[^\]\n]*\]\s*|\[Subagent Task\]\s*|\[(?:Replying to|Forwarded from|Inline result of|Preview of) [^\]\n]*\](?:\n>[^\n]*)*(?:\n|$))+/;

/** The words themselves, without the lines that say who wrote them where and what they answer; all when nothing else is there. */
export function withoutEnvelope(text: string): string {
  if (!text.startsWith("[")) return text;
  const body = text.replace(HEAD, "");
  return body === "" ? text : body;
}
