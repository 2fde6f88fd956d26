export const sendTexts = {
  description:
    "Sends a message to another session and waits for its reply. The target reads it as data from your session, not as a person's instruction. `timeout` means only that the waiting ended: the target works on, and its reply reaches you later as a message. After a reply both sessions may answer each other a few times. Then the target posts in its own conversation what people there should see.",
  label: "The session's label; sessionKey wins when both are given.",
  agentId: "With label: only this agent's sessions. Alone: the agent's main session.",
  timeoutSeconds: "How long to wait for the reply; 0: do not wait. A later reply reaches you as a message.",
  watch: "true: be told when somebody else changes the target; false: stop that. Without it nothing changes.",
  unconfigured: (key: string): string => `the agent of ${key} is not configured any more`,
  itself: "a session cannot send to itself",
  itselfHint: "choose another session",
  thread: "a thread's session takes no messages from other sessions",
  useParent: (key: string | null): string =>
    key === null ? "use the session of the conversation it belongs to" : `use the parent session key ${key}`,
  archived: (key: string): string => `session ${key} is archived`,
  archivedHint: "choose an active session",
  closed: (key: string): string => `session ${key} takes no messages from other sessions`,
  closedHint: "session.sendPolicy or /send there says so; an owner can change it",
  loop: (hops: number, max: number): string =>
    `loop_limit: the message that started this turn has gone from session to session ${hops} times, and session.agentToAgent.maxPingPongTurns is ${max}`,
  loopHint: "nothing was sent; finish with what you know, or tell people in your own conversation",
  accepted: "a reply reaches you as a message",
  timeout:
    "only the waiting ended: the target works on, and its reply reaches you once, as a message. Do not send again.",
  failed: "the target's turn failed",
};
