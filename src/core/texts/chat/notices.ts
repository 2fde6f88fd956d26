import { promptLabel } from "../../text/prompt-words.ts";

/** The bridge's own messages in a chat, and its marks in what an agent reads there. */
export const notices = {
  contentRefused:
    "Part of my reply could not be posted: this chat does not accept its content. The operator can see why.",
  /** The only message to a person who has not been allowed yet (IN-5). */
  pairing: (code: string, approve: string): string =>
    [
      "This bot is private. Send this code to its owner to get access:",
      "",
      `\`${code}\``,
      "",
      `Is this your own bot? Run \`${approve} --owner\` where it is installed. To let someone else in, run it without \`--owner\`.`,
      "",
      "The code expires in one hour. I reply to your message after you are approved.",
    ].join("\n"),
  /** The first message to a person who has been allowed (FC-333). */
  welcome: "You're in! Ask me anything.",
  tooFast: "You're sending messages faster than I can answer. Wait a minute, then send this one again.",
  tooManyCommands: "You're using commands faster than I can answer. Wait a minute, then use this one again.",
  /** `dropped`: which message was discarded because too many wait (TN-3, FC-119). */
  queueFull: (cap: number, dropped: "new" | "old"): string =>
    dropped === "new"
      ? `More than ${cap} messages are waiting, so I discarded the newest one. Send it again after my next reply.`
      : `More than ${cap} messages are waiting, so I discarded the oldest one. Send it again after my next reply.`,
  /** FC-330: a slash command in a place that is not allowed, or from an unknown person. */
  commandRefused: "I can't run commands for you here. My owner decides who may use me, and where.",
  restOfAnswer: "The rest of the reply",
  /** The words follow on lines of their own, which the agent reads as a quote (FC-404). */
  edited: (sender: string, messageId: string, text: string): string =>
    `${sender} edited an earlier message (${messageId}). It now says:\n${text}`,
  cut: "\n[… cut: a message can be at most 64 KiB]",
};

/** Why a file of a message could not be had; one line names it (IN-12). */
export const attachmentNotes = {
  unavailable: (name: string, reason: string): string => `${promptLabel(name)} is not available: ${reason}`,
  voice: "voice messages are not supported",
  sticker: "stickers are not supported",
  tooLarge: (size: string, limit: string): string => `too large (${size}, the limit is ${limit})`,
  noFiles: "this channel cannot provide files right now",
  unknownImage: "the file is not an image of a supported type",
  timedOut: "the download took too long",
  failed: "the download failed",
};

/** CP-5: what people see of a sub-agent's result that could not be worked on. */
export function resultNotice(excerpt: string): string {
  return `A sub-agent's result arrived, but I could not work on it. ${excerpt}`;
}

/** What `/verbose` and `/usage` add to an answer (CM-10). */
export const reportTexts = {
  earlierCalls: (count: number): string => `${count} earlier calls`,
  tokens: (input: string, output: string): string => `${input} tokens in, ${output} out`,
  estimated: (tokens: string): string => `${tokens} (estimated)`,
  cached: (tokens: string, cached: string): string => `${tokens}, ${cached} cached`,
  cost: (cost: string): string => `cost ${cost}`,
  context: (used: string, window: string, percent: number): string => `context ${used} of ${window} (${percent} %)`,
  steps: (steps: number, seconds: string): string => `${steps} ${steps === 1 ? "step" : "steps"} in ${seconds} s`,
};
