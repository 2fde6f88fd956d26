export const agentsListTexts = {
  description: "Lists the agents that this session may spawn as sub-agents, each with its model.",
};
