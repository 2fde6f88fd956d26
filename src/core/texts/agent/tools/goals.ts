export const goalTexts = {
  get: "Shows this session's goal: its objective, state (active, paused, blocked, complete) and note. `null` when there is none.",
  create:
    "Sets this session's one durable goal. Use it only when somebody asks for work that goes on over many turns. Fails while there is a goal that is not complete.",
  update:
    "Changes this session's goal: its state (`complete` only when the objective is reached, `blocked` when you cannot go on without somebody), its note or its objective. What you leave out stays.",
  objective: "What to achieve, and how to tell that it is achieved.",
  note: "Where it stands.",
  nothing: "give at least one of state, note and objective",
  unfinished: (state: string): string => `this session has a goal already, and it is ${state}`,
  unfinishedHint: "change it with update_goal, or complete it first",
  none: "this session has no goal",
  noneHint: "create_goal sets one",
};
