/* Why a delivery goes where it goes (DL-16), as `/why` and the CLI say it. */

const LINKED = "the conversation is linked to this session (TB-2)";
const MESSAGE = "the conversation the message came from (TN-15)";
const SUBAGENT = "the sub-agent's own conversation";
const WOKEN = "the conversation of the session that was woken";

export const routeTexts = {
  moved: (rule: string, former: string): string =>
    `${rule}; the conversation's id has changed since then (was ${former})`,
  command: "the conversation in which the command was sent",
  newThread: "threads are created in the conversation of the turn that requested them (TB-1)",
  thread: "the thread in question, or its parent conversation",
  messageTool: "the target of the agent's message tool call (ST-40)",
  refusal: "the conversation of the message it replies to",
  fullQueue: "the conversation whose queue was full",
  chainLimit: "the conversation whose message set off the stopped turns",
  turnFailure: "the conversation that expected the failed turn's reply",
  stored: "the route stored with it",
  message: (isLinked: boolean): string => (isLinked ? `${MESSAGE}; ${LINKED}` : MESSAGE),
  subagent: (isLinked: boolean): string => (isLinked ? `${SUBAGENT}; ${LINKED}` : SUBAGENT),
  woken: (isLinked: boolean): string => (isLinked ? `${WOKEN}; ${LINKED}` : WOKEN),
  linkedRequester: "the conversation linked to the session that requested the sub-agent (CP-4, first rule)",
  requester: "the last conversation in which people wrote to the session that requested the sub-agent (CP-4)",
  spawn: (run: string): string =>
    `the conversation of the turn that started the sub-agent, stored with run ${run} (CP-4)`,
  announcement: "an exchange between sessions is announced in the announcing session's conversation (ST-25)",
};
