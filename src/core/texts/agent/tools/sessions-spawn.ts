export const spawnToolTexts = {
  description:
    "Starts a sub-agent on a task of its own and returns at once with its run id. Its result reaches this session later as a message that begins with [Completion …]; do not wait or poll for it. It takes no delivery parameters: where people read the result is already decided.",
  task: "What the sub-agent should do, with everything it needs to know.",
  label: "A short name that people read.",
  taskName: "A name for `subagents` to steer or kill it by.",
  taskNameForm: "must be like fetch-news: small letters, digits, _ and -",
  taskNameReserved: "must not be last or all",
  agentId: "One of agents_list; default: this agent.",
  runTimeoutSeconds: "Ends the run after this time; 0: never.",
  thread:
    "true: it gets its own thread, where people read its answers and talk to it. Refused where there are no threads.",
  mode: "session: it stays for more talk in its thread. This needs thread: true, and is the default there.",
  cleanup: "delete: its session and transcript are deleted once its result is delivered.",
  context: "fork: it knows this conversation so far. Default: isolated, with a thread as configured.",
  expectsCompletion: "false: its result is not delivered to you.",
  completionTarget:
    "channel (default): its result comes to you, and your answer to it is posted. parent: its result is for you alone, and your answer to it is not posted. With a thread and without this, people read its result there and it does not come to you.",
  fullHint: "wait for one of them, or end one with subagents kill",
  deliveryHint:
    "It takes no delivery parameters: results go back to this session, and its answer to the conversation that asked.",
  unavailableHint:
    "There is one runtime and no sandbox: leave out runtime, sandbox, cwd, resumeSessionId and streamTo.",
  noteThread: (alone: boolean): string =>
    `People read its answers in a thread of its own. You get no message about them, unless the thread cannot be made.${aloneText(alone)}`,
  noteSilent: (alone: boolean): string => `Its result is not delivered. Look with subagents list.${aloneText(alone)}`,
  noteParent: (alone: boolean): string =>
    `Its result reaches you alone, as a message that begins with [Completion …]; your answer to it is not posted. Do not poll for it.${aloneText(alone)}`,
  noteChannel: (alone: boolean): string =>
    `Its result reaches you as a message that begins with [Completion …]; do not poll for it.${aloneText(alone)}`,
};

function aloneText(alone: boolean): string {
  return alone ? " It started without this conversation, which is too long for its model." : "";
}
