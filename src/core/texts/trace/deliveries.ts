/* What `/why`, `switchyard why` and `switchyard deliveries show` say about a delivery (DL-16). */

export const deliveryTexts = {
  dueIn: (duration: string): string => `next try in ${duration}`,
  dueNow: "due now",
  dueInAfter: (duration: string, reason: string): string => `next try in ${duration}; last try: ${reason}`,
  dueNowAfter: (reason: string): string => `due now; last try: ${reason}`,
  unanswered: "the platform has not responded yet",
  toDo: (id: number): string => `switchyard deliveries retry ${id}, or dismiss ${id}`,
  preview: "a preview of an unfinished reply",
  message: "a message",
  privateMessage: "a message that only the asker sees",
  interactionReply: "a message that replaces a native command's placeholder",
  privateInteractionReply: "a message that only the asker sees and that replaces a native command's placeholder",
  file: (name: string, bytes: number): string => `a file, ${name} (${bytes} bytes)`,
  deletion: "deletes a message",
  thread: (title: string): string => `creates the thread "${title}"`,
  expiredCommand: "a command whose record has expired",
  byRule: (input: string, rule: string): string => `${input}; allowed by: ${rule}`,
  written: "written to the outbox",
  turnEnded: "the turn ended; next, the complete reply is sent",
  retried: "retried by the operator",
  dismissed: "dismissed by the operator",
  readBack: (result: string): string => `checked the platform for an earlier try: ${result}`,
  foldedTries: (count: number): string => `${count} earlier tries not listed`,
};

export const INPUT_KINDS = {
  event: "a message",
  command: "a command",
  task: "a task",
  steer: "guidance",
  inter_session: "a message between sessions",
  completion: "a sub-agent's result",
  notice: "a notice",
} as const;

export const TRY_OUTCOMES = {
  sent: "sent",
  waits: "not sent, will retry",
  failed: "failed permanently",
  unconfirmed: "may have arrived",
  withdrawn: "withdrawn",
} as const;
