export const listTexts = {
  description:
    "Lists the sessions that this session may see, newest first, with status, model, tokens and children. Filter by kind, label, agent, activity or search; page with offset.",
  kinds: "Only these kinds; `group` is every group, channel, thread and topic, `other` direct chats and sub-agents.",
  label: "Exactly this label.",
  agentId: "Only sessions of this agent.",
  search: "Part of a key, label or display name, in any case.",
  activeMinutes: "Only sessions used within this many minutes.",
  archived: "false: active sessions; true: archived ones instead; all: both.",
  offset:
    "`nextOffset` of the page before: each session appears once, even while some are used. A small number skips that many.",
  titles: "Adds a title made of each session's first message.",
  lastMessage: "Adds a preview of each session's newest message.",
  messageLimit: "Adds this many of each session's newest messages.",
  spawnedBy: "Only sessions that this session spawned itself.",
  noOffset: "offset is not a nextOffset of sessions_list",
  noOffsetHint: "leave it out to start again",
};
