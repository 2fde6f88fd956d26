/*
 * What Switchyard puts in front of the words of a person, a session or a task (IN-10, SP-4, ST-23). People's own brackets are
 * escaped, so these can only be ours.
 */
const HEAD =
  /^(?:\[Historical context:[^\]\n]*\](?:\n>[^\n]*)*(?:\n|$)|\[(?:Message from|Inter-session message)[^\]\n]*\]\s*|\[Subagent Task\]\s*|\[Replying to [^\]\n]*\](?:\n>[^\n]*)*(?:\n|$))+/;

/** The words themselves, without the lines that say who wrote them where and what they answer; all when nothing else is there. */
export function withoutEnvelope(text: string): string {
  if (!text.startsWith("[")) return text;
  const body = text.replace(HEAD, "");
  return body === "" ? text : body;
}
