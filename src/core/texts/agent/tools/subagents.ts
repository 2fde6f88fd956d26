export const subagentsTexts = {
  description:
    "Manages the sub-agents of this session's own tree: `list` running and recently ended ones, `steer` one with guidance for its next step, `kill` one or `all`, `log` what one has said so far, `name` one. One that lives on in a thread of its own (`threadRoute`) is steered and closed (`kill`) in the same way.",
  target: "Run id, child session key, index of the list, taskName, beginning of a label, `last`, or `all` (kill).",
  message: "The guidance for steer, or the new name for name.",
  noMessage: "steer needs a message",
  noName: "name needs the new name as message",
  steered: "it reads the guidance at its next step",
  noneRunning: "no sub-agent was running",
  endedBefore: "it had ended already; nothing was done",
  sessionGone: (run: string): string => `the session of run ${run} is gone`,
  noTarget: "give a target",
  noTargetHint: "see subagents list",
  allIsForKill: "`all` is for kill only",
};
