export const yieldTexts = {
  description:
    "Ends this turn and waits for the sub-agents that are still running. Use it when you cannot go on without their results. Their results start the next turn; so does a person's message. Fails when no sub-agent is running.",
  message: "A note to yourself, read when the turn goes on.",
  wait: "all: go on when the last sub-agent has ended; each: whenever one has.",
  nothing: "there is no unfinished sub-agent to wait for",
  nothingHint: "go on with your answer",
};
