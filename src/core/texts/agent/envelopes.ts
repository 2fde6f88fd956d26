import { ANNOUNCE_SKIP, REPLY_SKIP } from "../../text/control-words.ts";
import { promptName } from "../../text/prompt-words.ts";

export type EnvelopeMeaning = "instruction" | "data";

/** What each mark at the beginning of an input means to the model. The system prompt says exactly this (FC-230). */
export const ENVELOPES: readonly { readonly mark: string; readonly is: EnvelopeMeaning }[] = [
  { mark: "[Subagent Task]", is: "instruction" },
  { mark: "[System: …]", is: "instruction" },
  { mark: "[Reply-back …]", is: "instruction" },
  { mark: "[Announce …]", is: "instruction" },
  { mark: "[Inter-session message …]", is: "data" },
  { mark: "[Completion …]", is: "data" },
  { mark: "[Forwarded from …]", is: "data" },
];

/** The marks of one meaning, for the system prompt. */
export function envelopesThat(is: EnvelopeMeaning): string {
  const marks = ENVELOPES.filter((envelope) => envelope.is === is).map(({ mark }) => mark);
  return `${marks.slice(0, -1).join(", ")} or ${marks.at(-1)}`;
}

/** How inputs read in a transcript (IN-10, SP-4, ST-23). Every value arrives with its own brackets escaped. */
export const envelope = {
  task: (task: string): string => `[Subagent Task] ${task}`,
  guidance: (from: string, text: string): string => `[System: guidance from ${from}] ${text}`,
  notice: (text: string): string => `[System: ${text}]`,
  interSession: (from: string, agent: string, channel: string | null): string =>
    `[Inter-session message from=${from} agent=${agent} channel=${channel ?? "none"} isUser=false]`,
  /** ST-24. */
  replyBack: (turn: number, of: number, runId: string, from: string): string =>
    `[Reply-back ${turn}/${of}, run ${runId}:${turn === 1 ? " You have read their reply." : ""} Your answer goes only to ${from}, not to people. Answer exactly ${REPLY_SKIP} when you have nothing more to say to them.]`,
  /** ST-25. */
  announce: (from: string, runId: string): string =>
    `[Announce, run ${runId}: the exchange with ${from} is over. Your answer is posted in your own conversation. Answer exactly ${ANNOUNCE_SKIP} when people there do not need to see anything of it.]`,
};

/** What stands above words in a message that are not the sender's own (FC-208). */
export const quoteMarks = {
  forward: (from: string, origin: string | null): string =>
    `[Forwarded from ${from === "" ? "an unknown sender" : from}${origin === null ? "" : `, ${origin}`}]`,
  inline: (from: string, origin: string | null): string =>
    `[Inline result of ${from === "" ? "a bot" : from}${origin === null ? "" : `, ${origin}`}]`,
  preview: (from: string, origin: string | null): string =>
    `[Preview of ${from === "" ? "a linked page" : from}${origin === null ? "" : `, ${origin}`}]`,
} as const;

/** The same words in a message that was kept as context, which is a quote as a whole (IN-7). */
export function quoteInContext(quote: {
  readonly kind: keyof typeof quoteMarks;
  readonly from: string;
  readonly text: string;
}): string {
  const { kind, from, text } = quote;
  const whose = from === "" ? "unknown" : promptName(from);
  switch (kind) {
    case "forward":
      return `(forwarded from ${whose}: ${text})`;
    case "inline":
      return `(inline result of ${whose}: ${text})`;
    case "preview":
      return `(preview of ${whose}: ${text})`;
  }
}
