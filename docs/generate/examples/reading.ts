import { visibilityTexts } from "../../../src/core/texts/agent/tool-calls.ts";
import { statusTexts } from "../../../src/core/texts/agent/tools/session-status.ts";
import { searchTexts } from "../../../src/core/texts/agent/tools/sessions-search.ts";
import { CHAT, TEAM, type ToolExamples } from "../tool-example.ts";
import { targetFailures } from "./targets.ts";

export const sessionStatus: ToolExamples = {
  examples: [
    {
      title: "This session's own status",
      args: {},
      result: {
        status: "ok",
        card: "- **Agent:** main\n- **Runtime:** switchyard …",
        details: {
          sessionKey: CHAT,
          sessionId: "00000000-0000-4000-8000-000000000001",
          stateVersion: 7,
          route: { deliveryContext: { channel: "telegram", accountId: "default", to: "111" }, "…": "…" },
          "…": "…",
        },
      },
    },
    {
      title: "Another session's, and what happened to it since version 0",
      args: { sessionKey: TEAM, changesSince: 0 },
      result: {
        status: "ok",
        card: "- **Agent:** main\n…",
        details: { sessionKey: TEAM, stateVersion: 6, "…": "…" },
        stateChanges: {
          events: [
            {
              sequence: 6,
              kind: "created",
              actorType: "system",
              actor: "telegram",
              runId: null,
              at: "2026-01-01 00:00",
              summary: "Session created",
              payload: { channel: "telegram" },
            },
          ],
          historyGap: false,
          hasMore: false,
        },
      },
    },
  ],
  errors: [
    ...targetFailures(),
    {
      status: "error",
      when: "`model` names no model.",
      error: 'unknown model "demmo/switchyard"',
      proof: { args: { model: "demmo/switchyard" } },
    },
    {
      status: "forbidden",
      when: "`model` in or for a group, when who asked for the turn is no admin.",
      error: statusTexts.adminsOnly,
      proof: { args: { sessionKey: TEAM, model: "local/other" }, asker: "user" },
    },
    {
      status: "forbidden",
      when: "A sub-agent sets a session's model.",
      error: statusTexts.subagent,
      proof: { clause: "TP-4", test: "a sub-agent sees and changes nothing beyond its own tree" },
    },
  ],
};

export const sessionsList: ToolExamples = {
  examples: [
    {
      title: "One group, with its newest message",
      args: { kinds: ["group"], search: "release", includeLastMessage: true },
      result: {
        status: "ok",
        sessions: [
          {
            key: TEAM,
            sessionId: "00000000-0000-4000-8000-000000000001",
            agentId: "main",
            kind: "group",
            channel: "telegram",
            label: "release team",
            model: "demo/switchyard",
            totalTokens: 0,
            updatedAt: "2026-01-01 00:00",
            status: "idle",
            lastMessage: "Yes: version 3, from Monday.",
            "…": "…",
          },
        ],
        count: 1,
        hasMore: false,
        visibility: {
          mode: "agent",
          warning: visibilityTexts.range.agent,
        },
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "`offset` is none that a page gave.",
      error: "offset is not a nextOffset of sessions_list",
      proof: { args: { offset: "second" } },
    },
    {
      status: "forbidden",
      when: "`spawnedBy` names a session that does not exist or is hidden.",
      error: 'no session "agent:main:telegram:direct:9" that this session may see',
      proof: { args: { spawnedBy: "agent:main:telegram:direct:9" } },
    },
  ],
};

export const sessionsHistory: ToolExamples = {
  examples: [
    {
      title: "What was said last in a session",
      args: { sessionKey: TEAM, limit: 2 },
      result: {
        status: "ok",
        sessionKey: TEAM,
        sessionId: "00000000-0000-4000-8000-000000000001",
        messages: [
          { seq: 1, role: "user", at: "2026-01-01 00:00", text: "Is the rollout plan final?" },
          {
            seq: 2,
            role: "assistant",
            at: "2026-01-01 00:00",
            text: "Yes: version 3, from Monday.",
          },
        ],
        truncated: false,
        droppedMessages: 0,
        contentTruncated: false,
        contentRedacted: false,
        bytes: 176,
      },
    },
    {
      title: "Page by page from the newest",
      args: { sessionKey: TEAM, limit: 1, offset: 0 },
      result: {
        status: "ok",
        messages: [{ seq: 2, text: "Yes: version 3, from Monday.", "…": "…" }],
        hasMore: true,
        nextOffset: 2,
        "…": "…",
      },
    },
  ],
  errors: [
    ...targetFailures(),
    {
      status: "error",
      when: "`offset` is not `nextOffset` of a page.",
      error: "offset 99999 is not a page of this session",
      proof: { args: { sessionKey: TEAM, offset: 99_999 } },
    },
    {
      status: "error",
      when: "`messageId` is no message of this session.",
      error: "no message 99999 in this session",
      proof: { args: { sessionKey: TEAM, messageId: 99_999 } },
    },
    {
      status: "error",
      when: "Both `messageId` and `offset` are given.",
      error: "give messageId or offset, not both",
      proof: { args: { sessionKey: TEAM, messageId: 1, offset: 0 } },
    },
  ],
};

export const sessionsSearch: ToolExamples = {
  examples: [
    {
      title: "Where a word was said",
      args: { query: "rollout plan", limit: 1 },
      result: {
        status: "ok",
        results: [
          {
            sessionKey: TEAM,
            sessionId: "00000000-0000-4000-8000-000000000001",
            messageId: 1,
            role: "user",
            at: "2026-01-01 00:00",
            excerpt: "Is the rollout plan final?",
            score: 0.733,
          },
        ],
        count: 1,
        hasMore: false,
        contentRedacted: false,
        order: "score",
        visibility: {
          mode: "agent",
          warning: visibilityTexts.range.agent,
        },
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "The query is all signs.",
      error: searchTexts.noWord,
      proof: { args: { query: "?!" } },
    },
    {
      status: "error",
      when: "The query has more than 16 words.",
      error: "the query has 17 words; at most 16",
      proof: { args: { query: "a b c d e f g h i j k l m n o p q" } },
    },
    ...targetFailures({ query: "plan" }),
  ],
};
