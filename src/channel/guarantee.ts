import type { ChannelId } from "../core/ids.ts";

/**
 * What is sent (DL-15). `edit`: the last edit of a streamed reply. `command`: the reply to a typed command. `native`: the
 * reply to a native command (a slash command) that everyone can read; `private`: one that only its caller can read.
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
 * What people see of the message. `at least once, labelled`: it may appear twice, and Switchyard records which ones may.
 * `at most once`: it may be missing, and Switchyard records that. `a line instead`: it can no longer be shown to its caller
 * alone, so one line says that the command ran (CM-3). `best effort`: tried once, and nothing else depends on it.
 * `by`: the mechanism, in words for an operator.
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

/** What the core guarantees on every platform that is reached over a network (DL-4). */
export const OVER_A_NETWORK = {
  rate_limited: once("the platform refused it, so nothing was posted; it waits for retry_after, which uses up no try"),
  adapter_down: once("it waits in the outbox until the account is connected, which uses up no try"),
  conversation_gone: {
    holds: "at most once",
    by: "it fails immediately; the operator and the agent's next turn see the platform's reason; it is never sent elsewhere",
  },
} as const satisfies Partial<Guarantee[GuaranteeKind]>;

const MARK = {
  holds: "best effort",
  by: "the reaction that marks a message in progress (CH-8) is tried once, outside the outbox; the reply is not affected",
} as const;

/** `ackReaction` marks a message in progress. It is not a message, and nothing depends on it. */
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
