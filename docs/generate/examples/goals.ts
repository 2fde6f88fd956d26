import type { ToolExamples } from "../tool-example.ts";

const CREATED = { tool: "create_goal", args: { objective: "Ship version 3." } };

export const getGoal: ToolExamples = {
  examples: [
    {
      title: "A session with a goal",
      args: {},
      after: [CREATED],
      result: {
        status: "ok",
        goal: {
          objective: "Ship version 3.",
          state: "active",
          updatedAt: "2026-01-01 00:00",
        },
      },
    },
    { title: "A session without one", args: {}, result: { status: "ok", goal: null } },
  ],
  errors: [],
};

export const createGoal: ToolExamples = {
  examples: [
    {
      title: "Work that goes on over many turns",
      args: { objective: "Ship version 3." },
      result: {
        status: "ok",
        goal: {
          objective: "Ship version 3.",
          state: "active",
          updatedAt: "2026-01-01 00:00",
        },
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "There is a goal that is not complete.",
      error: "this session has a goal already, and it is active",
      proof: { args: { objective: "Write the news." }, after: [CREATED] },
    },
  ],
};

export const updateGoal: ToolExamples = {
  examples: [
    {
      title: "It cannot go on without somebody",
      args: { state: "blocked", note: "Waits for Ann's review." },
      after: [CREATED],
      result: {
        status: "ok",
        goal: {
          objective: "Ship version 3.",
          state: "blocked",
          note: "Waits for Ann's review.",
          updatedAt: "2026-01-01 00:00",
        },
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "There is no goal.",
      error: "this session has no goal",
      proof: { args: { state: "complete" } },
    },
    {
      status: "error",
      when: "Nothing to change is given.",
      error: "invalid argument (arguments): give at least one of state, note and objective",
      proof: { args: {}, after: [CREATED] },
    },
  ],
};
