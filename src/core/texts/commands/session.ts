import { asTyped } from "../../text/plain-text.ts";
import { nameInChat, visibleText } from "../../text/visible.ts";

/** What the commands about a session, its model and its display say; `/help` and the menus show the summaries. */

const didYouMean = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;

const subAgents = (count: number): string => `${count} sub-agent${count === 1 ? "" : "s"}`;

export const sessionTexts = {
  noSession: "There is no session here yet.",
  agentGone: (agentId: string): string => `This conversation's agent "${agentId}" is no longer configured.`,

  stop: {
    summary: "Stop what is running here, including sub-agents",
    nothing: "Nothing was running.",
    stopped: ({ runs, dropped }: { readonly runs: number; readonly dropped: number }): string =>
      [
        runs === 0 ? "Stopped." : `Stopped, together with ${subAgents(runs)}.`,
        dropped === 0
          ? ""
          : dropped === 1
            ? " One waiting message was discarded."
            : ` ${dropped} waiting messages were discarded.`,
      ].join(""),
  },

  fresh: {
    newSummary: "Start a fresh session, optionally with another model",
    resetSummary: "Start a fresh session",
    model: "provider/model or an alias",
    unknownModel: (model: string, close: readonly string[]): string =>
      `There is no model "${asTyped(model)}".${didYouMean(close)} The session was not reset.`,
    already: "This is already a fresh session.",
    started: (model: string | null, stoppedRuns: number): string =>
      [
        "Started a fresh session.",
        model === null ? "" : ` Model: ${model}.`,
        stoppedRuns === 0 ? "" : ` Stopped ${subAgents(stoppedRuns)}.`,
      ].join(""),
  },

  name: {
    summary: "Name this session",
    title: (longest: number): string => `one line, at most ${longest} characters`,
    none: "This session has no name.",
    is: (name: string): string => `This session's name is “${nameInChat(name)}”.`,
    tooLong: (longest: number, length: number): string =>
      `A name can have at most ${longest} characters; this one has ${length}.`,
    set: (name: string): string => `This session is now called “${nameInChat(name)}”.`,
  },

  status: {
    summary: "Show this session's model, tokens, queue and sub-agents, and the accounts",
    account: (state: string, age: string): string => `${state} for ${age}`,
    /** What the newest message set off between agents (ST-28). */
    automaticTurns: (chain: {
      readonly turns: number;
      readonly maxTurns: number;
      readonly modelCalls: number;
      readonly maxModelCalls: number;
      readonly stoppedBy: string | null;
    }): string => {
      const { turns, maxTurns, modelCalls, maxModelCalls, stoppedBy } = chain;
      const used = `${turns} of ${maxTurns}, ${modelCalls} of ${maxModelCalls} model calls`;
      return stoppedBy === null ? used : `${used}; stopped by ${stoppedBy === "stop" ? "/stop" : stoppedBy}`;
    },
    nothingReceived: "nothing received yet",
    lastReceived: (age: string): string => `last received ${age} ago`,
    nothingSent: "nothing sent yet",
    lastSent: (age: string): string => `last sent ${age} ago`,
    clockOff: (off: string, ahead: boolean): string =>
      `this machine's clock is ${off} ${ahead ? "ahead of" : "behind"} the platform's`,
  },

  send: {
    summary: "Allow or deny messages from other sessions",
    switch: "inherit uses the configuration",
    allowedHere: "Other sessions can send messages here (set for this session).",
    deniedHere: "Other sessions cannot send messages here (set for this session).",
    allowed: "Other sessions can send messages here (set in session.sendPolicy).",
    denied: "Other sessions cannot send messages here (set in session.sendPolicy).",
  },

  compact: {
    summary: "Summarize the older part of this session to free up context",
    instructions: "What the summary should focus on",
    done: (messages: number, tokens: string): string =>
      `Summarized ${messages} messages. The context is now about ${tokens} tokens. No messages were deleted.`,
    nothing: "There is nothing to summarize yet.",
    doneBefore: "The older part of this session is already summarized.",
    dailyLimit: "Today's limit is reached, and a summary needs a model call. Try again tomorrow.",
    failed: "The summary failed; nothing was changed. Try again in a moment.",
  },

  export: {
    summary: "Export this session's transcript as a file",
    format: "the file format; default md",
    shared:
      "This session also contains other conversations. Export it from a direct message, or with `switchyard export`.",
    tooLarge: (bytes: number): string =>
      `The transcript has ${bytes} bytes, more than media.maxBytes allows. Use \`switchyard export\` instead.`,
    done: (messages: number): string => `Transcript: ${messages} ${messages === 1 ? "message" : "messages"}.`,
  },

  goal: {
    summary: "Show or change this session's goal",
    action: "without an action, the goal is shown",
    text: "the goal, or a note",
    none: "This session has no goal.",
    noneYet: "This session has no goal. Set one with /goal set …",
    tooLong: (limit: number): string => `This text is too long: at most ${limit} characters.`,
    textMissing: (action: string): string => `Add the text: /goal ${action} …`,
    removed: "The goal is removed.",
    is: (state: string, objective: string, note: string | null): string =>
      [
        `Goal (${state}): ${asTyped(visibleText(objective))}`,
        ...(note === null ? [] : [`Note: ${asTyped(visibleText(note))}`]),
      ].join("\n"),
  },

  queue: {
    summary: "How new messages are handled while I'm busy",
    settings: (modes: string, drops: string): string => `${modes} or default; debounce:500ms, cap:20, drop:${drops}`,
    /** `quietMs`: only where messages are collected. */
    is: (
      mode: string,
      facts: { readonly cap: number; readonly drop: string; readonly quietMs: number | null },
    ): string =>
      [
        `New messages: ${MODES[mode] ?? mode} (up to ${facts.cap})`,
        facts.quietMs === null ? "" : `, after ${facts.quietMs} ms without another one`,
        `. If there are more: ${DROPS[facts.drop] ?? facts.drop}.`,
      ].join(""),
    asConfigured: "Set in the configuration.",
    setHere: "Set for this session.",
    badCap: (most: number): string => `cap must be a whole number from 1 to ${most}.`,
    badDrop: (drops: string): string => `drop must be one of: ${drops}.`,
    badDebounce: "debounce must be a time of at most 60s, such as 500ms.",
    unknown: (word: string, modes: string): string =>
      `"${word}" is unknown. Modes: ${modes}, default. Options: debounce:, cap: and drop:.`,
  },

  model: {
    summary: "Show or set this session's model",
    argument: "provider/model or an alias; default, list or status",
    override: "set for this session",
    agent: "set for the agent",
    default: "default",
    is: (model: string, why: string): string => `Model: \`${model}\` (${why}).`,
    lost: (model: string): string => `The model set for this session, \`${model}\`, is no longer configured.`,
    unknown: (model: string): string => `There is no model "${model}". Type \`/models\` for a list.`,
    unknownClose: (model: string, close: readonly string[]): string =>
      `There is no model "${model}".${didYouMean(close.map((name) => `\`${name}\``))}`,
    adminsOnly: "Only admins can set the model in a group (see commands.adminAllowFrom).",
    reset: "This session uses its agent's model again.",
  },

  models: {
    summary: "List the models you can choose",
    provider: "only this provider's models",
    unknownProvider: (provider: string, close: readonly string[]): string =>
      `There is no provider "${provider}".${didYouMean(close)}`,
    inUse: " (in use here)",
    anyOther: (provider: string): string => `- any other name: \`${provider}/…\``,
    aliases: "**Aliases**",
  },

  think: {
    summary: "Set how much the model thinks, here or before one message",
    level: "the level; default is the agent's",
    modelDefault: "default",
    ofAgent: (level: string): string => `Thinking: ${level}.`,
    setHere: (level: string): string => `Thinking: ${level} (set for this session).`,
    reset: (level: string): string => `Thinking is set by the agent again: ${level}.`,
    set: (level: string): string => `Thinking is now ${level}.`,
  },

  shownOrHidden: "show or hide",
  reasoning: {
    summary: "Show or hide the model's reasoning here",
    shown: "Reasoning is shown.",
    hidden: "Reasoning is hidden.",
    nowShown: "Reasoning is now shown.",
    nowHidden: "Reasoning is now hidden.",
  },
  verbose: {
    summary: "Show or hide tool calls here while they run",
    shown: "Tool calls are shown.",
    hidden: "Tool calls are hidden.",
    nowShown: "Tool calls are shown from the next reply on.",
    nowHidden: "Tool calls are now hidden.",
  },
  usage: {
    summary: "Show tokens and cost below each reply here",
    line: "which details to show",
    is: {
      off: "Usage details are off.",
      tokens: "Replies show the tokens they used.",
      full: "Replies show model, tokens, cost (if prices are configured), context and time.",
    },
  },

  pin: {
    summary: "Pin or unpin this session",
    switch: "off unpins the session",
    already: "This session is already pinned.",
    not: "This session is not pinned.",
    on: "This session is pinned.",
    off: "This session is no longer pinned.",
  },
  archive: {
    summary: "Archive this session until someone writes here again",
    unarchiveSummary: "Restore this session from the archive",
    already: "This session is already archived.",
    done: "This session is archived. The next message here, or /unarchive, restores it.",
    not: "This session is not archived.",
    restored: "This session is restored from the archive.",
  },

  tools: {
    summary: "List the tools the agent has for you here",
    detail: "what each tool does, and why others are missing",
    emptyBy: (layer: string): string => `The agent has no tools here: ${layer} removes them all.`,
    none: "The agent has no tools here. `/tools verbose` shows why.",
    list: (count: number, names: string): string =>
      `${count} ${count === 1 ? "tool" : "tools"} here: ${names}.\n\`/tools verbose\` describes them and shows why others are missing.`,
    title: (count: number): string => `**${count} ${count === 1 ? "tool" : "tools"} here**`,
    missing: "**Not available here**, and what removes each",
  },

  context: {
    summary: "Show what the model receives, and its size",
    part: "part",
    characters: "characters",
    all: "all",
    total: (tokens: string, window: string, model: string): string =>
      `About ${tokens} of the ${window} tokens that \`${model}\` accepts.`,
  },
};

const MODES: Readonly<Record<string, string>> = {
  steer: "included in the running reply",
  followup: "answered one by one afterwards",
  collect: "collected and answered together afterwards",
  interrupt: "stop the running reply and are answered instead",
};
const DROPS: Readonly<Record<string, string>> = {
  summarize: "the oldest are summarized",
  old: "the oldest are discarded",
  new: "the newest are discarded",
};
