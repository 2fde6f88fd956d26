import { messageTexts } from "../../../src/core/texts/agent/tools/message.ts";
import { CHAT, OLD, TEAM, TOPIC, type ToolExamples } from "../tool-example.ts";
import { targetFailures } from "./targets.ts";

export const sessionsSend: ToolExamples = {
  examples: [
    {
      title: "Ask another session and wait for its reply",
      args: { sessionKey: TEAM, message: "Which version is out?" },
      answer: "Version 3.",
      result: {
        status: "ok",
        reply: "Version 3.",
        runId: "00000000-0000-4000-8000-000000000001",
        sessionKey: TEAM,
        delivery: { mode: "announce", status: "pending" },
      },
    },
    {
      title: "Leave a message, by label, without waiting",
      args: { label: "release team", message: "The build is green.", timeoutSeconds: 0 },
      result: {
        status: "accepted",
        runId: "00000000-0000-4000-8000-000000000001",
        sessionKey: TEAM,
        delivery: { mode: "announce", status: "pending" },
        note: "a reply reaches you as a message",
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "No session is named.",
      error: "no session was named",
      proof: { args: { message: "Hi" } },
    },
    ...targetFailures({ message: "Hi" }),
    {
      status: "error",
      when: "Several sessions have the label.",
      error: 'the label "family" fits several sessions: …',
      proof: { args: { label: "family", message: "Hi" } },
    },
    {
      status: "forbidden",
      when: "The target is this session.",
      error: "a session cannot send to itself",
      proof: { args: { sessionKey: CHAT, message: "Hi" } },
    },
    {
      status: "forbidden",
      when: "The target is a thread's or topic's session; `hint` names the parent.",
      error: "a thread's session takes no messages from other sessions",
      proof: { args: { sessionKey: TOPIC, message: "Hi" } },
    },
    {
      status: "forbidden",
      when: "The target is archived.",
      error: `session ${OLD} is archived`,
      proof: { args: { sessionKey: OLD, message: "Hi" } },
    },
    {
      status: "forbidden",
      when: "`session.sendPolicy` or `/send` denies it.",
      error: "session … takes no messages from other sessions",
      proof: { clause: "ST-22", test: "a session that takes no messages is refused by name of the setting" },
    },
    {
      status: "forbidden",
      when: "What set this turn off has gone round between sessions too often.",
      error: "loop_limit: what set this turn off has gone from session to session …",
      proof: { clause: "ST-24", test: "a ring of three is stopped by the same cap" },
    },
    {
      status: "error",
      when: "The target's turn failed or was stopped while this one waited.",
      error: "the target was stopped before it replied",
      proof: { clause: "ST-21", test: "a target that is stopped" },
    },
  ],
};

export const message: ToolExamples = {
  examples: [
    {
      title: "A text and a file of this session to a group",
      args: { to: "-100555", text: "Here is the **plan**.", files: ["plan.pdf"] },
      result: {
        status: "queued",
        route: { channel: "telegram", accountId: "default", to: "-100555", threadId: null },
        messages: 2,
      },
    },
  ],
  errors: [
    {
      status: "error",
      when: "Nobody has written there lately, and the configuration does not list it.",
      error: 'there is no conversation "777" on telegram (account default) that you may write to',
      proof: { args: { to: "777", text: "Hi" } },
    },
    {
      status: "error",
      when: "`channel` is left out in a turn that was not started from a chat.",
      error: "this turn has no channel",
      proof: { args: { to: "-100555", text: "Hi" }, from: "agent:main:main" },
    },
    {
      status: "error",
      when: "A file's name is none of this session.",
      error: 'this session has no file "x.png"',
      proof: { args: { to: "-100555", files: ["x.png"] } },
    },
    {
      status: "error",
      when: "The text holds nothing that people may read, such as `NO_REPLY` alone.",
      error: messageTexts.silent,
      proof: { args: { to: "-100555", text: "NO_REPLY" } },
    },
    {
      status: "error",
      when: "Neither text nor files are given.",
      error: "invalid argument (arguments): give text, files or both",
      proof: { args: { to: "-100555" } },
    },
  ],
};
