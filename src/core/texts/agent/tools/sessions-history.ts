export const historyTexts = {
  description:
    "Reads the transcript of a session that this session may see, oldest message first: the newest `limit` messages, with `offset` page by page into the past, or with `messageId` the messages around one message. Credentials are masked and long texts cut; the result's flags say so.",
  offset: "0 begins paging at the newest messages; then `nextOffset` of each page walks back through older ones.",
  messageId: "Opens the messages around this message of sessions_search; `nextOffset` goes on to older ones.",
  includeTools: "Also tool calls and their results.",
  hasNewer: "With `messageId`: newer messages follow the last one shown.",
  both: "give messageId or offset, not both",
  noMessage: (id: number): string => `no message ${id} in this session`,
  noOffset: (offset: number): string => `offset ${offset} is not a page of this session`,
  noOffsetHint: "begin with offset 0 and go on with the nextOffset of each result",
  omitted: "[sessions_history omitted: message too large]",
};
