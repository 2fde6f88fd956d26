import type { Conversation } from "./conversation.ts";

export interface LoadOptions {
  /** Messages in all, spread over the conversations in turn. */
  count: number;
  perSecond: number;
  /** Every text is this, a space, and the message's number from 0. */
  text: string;
}

/** Writes messages at a steady rate; what falls behind is caught up at the next tick. `sinceSeq` is for `latencies`. */
export function load(
  conversations: readonly Conversation[],
  { count, perSecond, text }: LoadOptions,
): Promise<{ sent: number; sinceSeq: number; ms: number }> {
  if (conversations.length === 0) return Promise.reject(new Error("a load needs a conversation"));
  const begun = performance.now();
  let sent = 0;
  let sinceSeq = 0;
  return new Promise((resolve) => {
    const tick = (): void => {
      const due = Math.min(count, Math.ceil(((performance.now() - begun) / 1000) * perSecond));
      for (; sent < due; sent += 1) {
        const at = conversations[sent % conversations.length];
        const said = at?.says(`${text} ${sent}`);
        if (at !== undefined && said !== undefined && sent === 0) sinceSeq = at.stored(said).seq;
      }
      if (sent < count) return;
      clearInterval(timer);
      resolve({ sent, sinceSeq, ms: performance.now() - begun });
    };
    const timer = setInterval(tick, 2);
  });
}

/** Every conversation writes its next message as soon as the last one was answered, `rounds` times; all at once. */
export async function closedLoop(
  conversations: readonly Conversation[],
  { rounds, text }: { readonly rounds: number; readonly text: string },
): Promise<{ readonly messages: number; readonly ms: number; readonly latencies: readonly number[] }> {
  const begun = performance.now();
  const latencies: number[] = [];
  await Promise.all(
    conversations.map(async (at) => {
      for (let round = 0; round < rounds; round += 1) {
        const asked = performance.now();
        const said = at.says(`${text} ${round}`);
        await at.botSays({ after: said, within: 30_000 });
        latencies.push(performance.now() - asked);
      }
    }),
  );
  return { messages: latencies.length, ms: performance.now() - begun, latencies };
}

export interface Latencies {
  answered: number;
  unanswered: number;
  /** Milliseconds from each message to its answer, in the order of the messages. */
  ms: number[];
}

/** Matches messages and an app's answers per conversation, first to first. Apps must answer each message once. */
export function latencies(conversations: readonly Conversation[], sinceSeq: number): Latencies {
  const result: Latencies = { answered: 0, unanswered: 0, ms: [] };
  for (const at of conversations) {
    const waiting: number[] = [];
    for (const { ts } of at.messages()) {
      const stored = at.stored(ts);
      if (stored.seq < sinceSeq) continue;
      if (stored.appId === null) {
        waiting.push(stored.at);
        continue;
      }
      const asked = waiting.shift();
      if (asked === undefined) continue;
      result.answered += 1;
      result.ms.push(stored.at - asked);
    }
    result.unanswered += waiting.length;
  }
  return result;
}
