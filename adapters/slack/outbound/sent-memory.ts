const MOST_KEPT = 2_000;

/** A message that stands in Slack for a delivery. */
export interface Standing {
  readonly ts: string;
  /** Its text as it was last written; null when that is not known. */
  readonly text: string | null;
}

/** What this connection sent, by delivery key: a repeated key shows one message (DL-3). */
export interface SentMemory {
  find(key: string): Standing | null;
  remember(key: string, standing: Standing): void;
  forget(key: string): void;
  /** Whether a message already stands for some delivery. */
  isTaken(ts: string): boolean;
  /** A request with this key may have been carried out without an answer: Slack is asked before it is repeated. */
  doubt(key: string): void;
  isDoubtful(key: string): boolean;
}

export function createSentMemory(): SentMemory {
  const sent = new Map<string, Standing>();
  const doubtful = new Set<string>();
  return {
    find: (key) => sent.get(key) ?? null,
    remember(key, standing) {
      doubtful.delete(key);
      sent.delete(key);
      sent.set(key, standing);
      const oldest = sent.keys().next();
      if (sent.size > MOST_KEPT && oldest.done !== true) sent.delete(oldest.value);
    },
    forget: (key) => void sent.delete(key),
    isTaken: (ts) => [...sent.values()].some((standing) => standing.ts === ts),
    doubt: (key) => void doubtful.add(key),
    isDoubtful: (key) => doubtful.has(key),
  };
}
