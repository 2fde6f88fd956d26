export const statusTexts = {
  description:
    "Shows a session's status: agent, model and why, tokens and context, queue, sub-agents, routes, stateVersion; for this session also its tools. With `model` it sets the session's model. With `changesSince` it adds what changed after that version.",
  model: "Sets this session's model from its next turn on; `default` returns to the agent's.",
  changesSince: "A stateVersion: adds what happened to the session after it.",
  subagent: "a sub-agent cannot change the model of a session",
  adminsOnly: "only admins set the model in a group, and the person who asked for this turn is not one",
  adminsOnlyHint: "tell them that an admin can do it with /model",
};
