/** What the commands about sub-agents and linked threads say. `name`: how people know a sub-agent. */
export const agentTexts = {
  target: "number, name or last",
  targetOrAll: "number, name, last or all",
  action: "what to do",

  agents: {
    summary: "List the sub-agents, linked threads and available agents here",
    available: "**Available agents**",
    linked: "**Linked threads**",
    here: ", here",
    pending: "its thread is being created",
    paused: (reason: string): string => `paused, because the thread is ${reason}`,
    permanent: "linked until it is unlinked",
    expires: (time: string): string => `expires in ${time}`,
  },

  focus: {
    summary: "Link this thread, or a new one, to a sub-agent",
    target: "number, name, last or session key",
    targetMissing: "must be a sub-agent; /agents lists them",
    disabled: "threads cannot be linked here: threadBindings.enabled is false",
    linked: (name: string, life: string): string => `Reply in this thread to talk to **${name}**. ${life}`,
    threadComing: (name: string): string => `A new thread for **${name}** is being created.`,
    unknown: (target: string): string => `there is no sub-agent "${target}" here`,
    adminsOnly: "Only admins can link threads in a group (see commands.adminAllowFrom).",
    unlinkSummary: "Unlink this thread from its sub-agent",
    notLinked: "This thread isn't linked to a sub-agent.",
    unlinked: (session: string): string => `This thread is unlinked. \`${session}\` continues without it.`,
  },

  session: {
    summary: "Show or set how long this thread stays linked, or unlink it",
    action: "what to show or set",
    duration: "such as 90s, 15m, 2h or 1d; or off",
    linkedTo: (session: string, limits: string): string => `Linked to \`${session}\`. ${limits}`,
    badDuration: (text: string): string => `"${text}" is not a valid duration`,
    durationHint: "use a form such as 90s, 15m, 2h, 1d, or off",
    limits: (idle: string | null, age: string | null): string =>
      `Expires without messages after: ${idle ?? "off"}. Expires in any case after: ${age ?? "off"}.`,
  },

  kill: {
    summary: "Stop a sub-agent and everything it started",
    alreadyEnded: (name: string, state: string): string => `**${name}** had already ended: ${state}.`,
    stopped: (name: string): string => `**${name}** was stopped by you.`,
    stoppedTree: (name: string, below: number): string =>
      `**${name}** and ${below} of its sub-agents were stopped by you.`,
    nothing: "No sub-agent was running.",
    stoppedAll: (count: number): string => `Stopped ${count} sub-agent${count === 1 ? "" : "s"}.`,
  },

  steer: {
    summary: "Send a message to a running sub-agent",
    text: "Message to send",
    done: (name: string): string => `**${name}** receives this at its next step.`,
  },

  subagents: {
    summary: "List, inspect, steer, stop or start this session's sub-agents",
    rest: "a target (number, name or last), then the message to send; for spawn: [options] and the task",
    usageSteer: "usage: /subagents steer <target> <text>",
    usage: (action: string): string => `usage: /subagents ${action} <target>`,
    usageHint: "/subagents list shows them",
    none: "No sub-agents here.",
    title: "**Sub-agents here**, running or ended in the last half hour",
    sessionGone: (name: string): string => `the session of **${name}** no longer exists`,
    silent: (name: string): string => `**${name}** has not said anything yet.`,
    log: (name: string, state: string): string => `**${name}**, ${state}`,
  },

  retry: {
    running: (name: string): string => `**${name}** is still running; there is no result yet.`,
    done: (name: string): string => `The result of **${name}** is being processed again.`,
    notLost: (name: string, state: string): string =>
      `The result of **${name}** was not lost (${state}); nothing was changed.`,
    requesterGone: (name: string): string => `The session that started **${name}** no longer exists.`,
  },

  spawn: {
    options: "Options: --thread, --agent, --model, --thinking, --label, --timeout (seconds)",
    refused: (layer: string): string => `sub-agents cannot be started here: ${layer} removes sessions_spawn`,
    started: (name: string, model: string, run: string): string =>
      `Started **${name}** with \`${model}\`. Its result is sent here.\nRun \`${run}\``,
    startedInThread: (name: string, model: string, run: string): string =>
      `Started **${name}** with \`${model}\`. A new thread for it is being created.\nRun \`${run}\``,
    badOption: (option: string | null, problem: string | null): string =>
      `${option ?? "an option"}: ${problem ?? "not understood"}`,
    noTask: "the task is missing",
    usage: "Usage: /subagents spawn [options] <task>.",
  },

  card: {
    waitsFor: (count: number): string => `waiting for ${count} of its sub-agents`,
    tokens: (count: string): string => `${count} tokens`,
    depth: (depth: number): string => `depth ${depth}`,
    inAndOut: (input: string, output: string): string => `${input} in, ${output} out`,
    labels: {
      name: "Sub-agent",
      state: "State",
      task: "Task",
      model: "Model",
      tokens: "Tokens",
      children: "Running sub-agents",
      error: "Error",
      run: "Run",
      session: "Session",
    },
  },
};

/** What a thread that is linked to a sub-agent says about itself (TB-2). */
export const linkedThreadTexts = {
  /** Follows the sub-agent's name. */
  opening: (agentId: string, life: string): string =>
    ` (agent ${agentId}). Reply in this thread to talk to it. /stop stops its work, /unfocus unlinks this thread. ${life}`,
  /** `idle`: without messages, `age`: in any case; null: no such limit. */
  life: (idle: string | null, age: string | null): string => {
    if (idle === null) return age === null ? "The link does not expire." : `The link expires after ${age}.`;
    if (age === null) return `The link expires after ${idle} without a message.`;
    return `The link expires after ${idle} without a message, and after ${age} in any case.`;
  },
};
