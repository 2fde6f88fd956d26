import type { ChannelId } from "../core/ids.ts";

/**
 * What is sent (DL-15). `edit`: the last edit of an answer that was streamed. `command`: the answer to a typed command. `native`:
 * the answer to one that was called by the platform's own means (a slash command), where everybody reads it; `private`: where only
 * its asker does.
 */
export const KINDS = ["text", "pieces", "edit", "file", "reaction", "thread", "command", "native", "private"] as const;
export type GuaranteeKind = (typeof KINDS)[number];

/** What happens to it. */
export const FAULTS = {
  crash_before: "crash before the send",
  crash_after: "crash after the platform accepted",
  answer_cut: "answer cut",
  rate_limited: "429",
  server_error: "5xx",
  platform_down: "platform down for an hour",
  adapter_down: "adapter down",
  conversation_gone: "conversation gone",
} as const;
export type GuaranteeFault = keyof typeof FAULTS;

/**
 * What people read of a message then. `at least once, labelled`: it may stand there twice, and which ones is known.
 * `at most once`: it may be missing, and then that is known. `a line instead`: where it cannot be shown to its asker alone any more,
 * one line says that the command was carried out (CM-3). `best effort`: it is tried once, and nothing else depends on it.
 * `by`: what makes it so, in words for an operator.
 */
export type GuaranteeCell =
  | {
      readonly holds: "exactly once" | "at least once, labelled" | "at most once" | "a line instead" | "best effort";
      readonly by: string;
    }
  | { readonly holds: "does not apply"; readonly because: string };

/** The guarantee of one platform, cell by cell (DL-15); every cell that applies is a test of `test/guarantee/`. */
export type Guarantee = Readonly<Record<GuaranteeKind, Readonly<Record<GuaranteeFault, GuaranteeCell>>>>;

export function once(by: string): GuaranteeCell {
  return { holds: "exactly once", by };
}

export function aLineInstead(by: string): GuaranteeCell {
  return { holds: "a line instead", by };
}

export function atLeastOnce(by: string): GuaranteeCell {
  return { holds: "at least once, labelled", by };
}

/** One reason for a whole row. */
export function notAtAll(because: string): Guarantee[GuaranteeKind] {
  const cell = { holds: "does not apply", because } as const;
  return {
    crash_before: cell,
    crash_after: cell,
    answer_cut: cell,
    rate_limited: cell,
    server_error: cell,
    platform_down: cell,
    adapter_down: cell,
    conversation_gone: cell,
  };
}

/** What the core sees to in the same way on every platform that is reached over a network (DL-4). */
export const OVER_A_NETWORK = {
  rate_limited: once("refused, so nothing stands there; waits for retry_after without using up a try"),
  adapter_down: once("waits in the outbox until the account is connected, without using up a try"),
  conversation_gone: {
    holds: "at most once",
    by: "fails at once with the platform's reason, for the operator and the agent's next turn; never tried elsewhere",
  },
} as const satisfies Partial<Guarantee[GuaranteeKind]>;

const MARK = {
  holds: "best effort",
  by: "the mark of a message that is worked on (CH-8) is tried once, outside the outbox; the answer comes exactly once all the same",
} as const;

/** `ackReaction` is a mark of something under way, and no message: what holds is that nothing hangs on it. */
export const REACTION: Guarantee[GuaranteeKind] = {
  crash_before: MARK,
  crash_after: MARK,
  answer_cut: MARK,
  rate_limited: MARK,
  server_error: MARK,
  platform_down: MARK,
  adapter_down: MARK,
  conversation_gone: MARK,
};

/** A cell's name, in the page and as its test. */
export function cellName(channel: ChannelId, kind: GuaranteeKind, fault: GuaranteeFault, cell: GuaranteeCell): string {
  return `DL-15: ${channel} ${kind}, ${FAULTS[fault]}: ${cell.holds}`;
}
