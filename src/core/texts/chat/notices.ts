import { promptLabel } from "../../text/prompt-words.ts";

/** The bridge's own messages in a chat, and its marks in what an agent reads there. */
export const notices = {
  /** The only message a person gets who is not let in yet (IN-5). */
  pairing: (channel: string, code: string): string =>
    [
      "This bot is private. Send this code to its owner to get access:",
      "",
      `\`${code}\``,
      "",
      `The owner runs \`switchyard pairing approve ${channel} ${code}\`. The code expires in one hour.`,
    ].join("\n"),
  tooFast: "You're sending messages faster than I can answer. Wait a minute, then send this one again.",
  /** `dropped`: which message was discarded because too many wait (TN-3, FC-119). */
  queueFull: (cap: number, dropped: "new" | "old"): string =>
    dropped === "new"
      ? `More than ${cap} messages are waiting, so I discarded the newest one. Send it again after my next reply.`
      : `More than ${cap} messages are waiting, so I discarded the oldest one. Send it again after my next reply.`,
  /** FC-330: a slash command where the bot may not answer, or from somebody it does not know. */
  commandRefused:
    "I cannot carry out commands for you here. The operator decides who may use me and where; the log says which setting refused this.",
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

/** What an agent reads around a person's message (IN-10). */
export const messageEnvelope = {
  head: (sender: string, where: string, time: string): string => `[Message from ${sender} in ${where}, ${time}]`,
  context: "[Historical context: written here since your last turn, not addressed to you]",
  replyingTo: (sender: string): string => `[Replying to ${sender}]`,
  attachment: (note: string): string => `[Attachment ${note}]`,
};
