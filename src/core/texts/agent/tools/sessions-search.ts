export const searchTexts = {
  description:
    "Searches what people and assistants wrote in the sessions that this session may see. Each result gives its session and message; sessions_history with that sessionKey and messageId shows the messages around it.",
  query: 'Words that must all occur, in any order; "words in quotes" stand together; `begin*` finds longer words.',
  agentId: "Only sessions of this agent.",
  sessionKey: "Only this session, including its history before resets.",
  order: "`newest` beyond 10,000 hits, else `score`.",
  noWord: "the query has no word in it",
  noWordHint: "give letters or digits to look for",
  tooMany: (words: number, max: number): string => `the query has ${words} words; at most ${max}`,
  tooManyHint: "keep the rarest ones",
};
