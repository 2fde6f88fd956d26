import { spawnTexts } from "../../../src/core/texts/agent/session-notices.ts";
import { callTexts } from "../../../src/core/texts/agent/tool-calls.ts";
import { spawnToolTexts } from "../../../src/core/texts/agent/tools/sessions-spawn.ts";
import { subagentsTexts } from "../../../src/core/texts/agent/tools/subagents.ts";
import { SUB_AGENT, type ToolExamples } from "../tool-example.ts";

const spawn = (label: string) => ({ tool: "sessions_spawn", args: { task: "Look at the build.", label } });
const SCOUT = { tool: "sessions_spawn", args: { task: "Look at the build.", label: "Scout", taskName: "scout" } };

export const sessionsSpawn: ToolExamples = {
  examples: [
    {
      title: "A sub-agent whose result comes back as a message",
      args: { task: "Find out why the build is slow.", label: "Build" },
      result: {
        status: "accepted",
        runId: "00000000-0000-4000-8000-000000000001",
        childSessionKey: "agent:main:subagent:00000000-0000-4000-8000-000000000002",
        mode: "run",
        model: "demo/switchyard",
        note: spawnToolTexts.noteChannel(false),
      },
    },
  ],
  errors: [
    {
      status: "forbidden",
      when: "This session is at the greatest depth.",
      error: spawnTexts.tooDeep(2, 2),
      proof: { args: { task: "Look." }, from: SUB_AGENT },
    },
    {
      status: "forbidden",
      when: "All slots for sub-agents are in use; the error lists the runs.",
      error: spawnTexts.full(3, ["…"]),
      proof: { args: { task: "Look." }, after: [spawn("one"), spawn("two"), spawn("three")] },
    },
    {
      status: "forbidden",
      when: "The agent is not one this agent may spawn, or there is no such agent.",
      error: 'agent "writer" is not in subagents.allowAgents of agent "main"',
      proof: { args: { task: "Look.", agentId: "writer" } },
    },
    {
      status: "error",
      when: "There is no such model.",
      error: 'unknown model "demmo/switchyard"',
      proof: { args: { task: "Look.", model: "demmo/switchyard" } },
    },
    {
      status: "error",
      when: "A delivery parameter is given.",
      error: callTexts.unknownParameters("sessions_spawn", ["channel"]),
      proof: { args: { task: "Look.", channel: "slack" } },
    },
    {
      status: "error",
      when: "A parameter of another runtime or of a sandbox is given.",
      error: callTexts.unknownParameters("sessions_spawn", ["runtime", "sandbox"]),
      proof: { args: { task: "Look.", runtime: "acp", sandbox: "require" } },
    },
    {
      status: "error",
      when: '`mode: "session"` without a thread.',
      error: 'mode "session" needs thread: true; nothing was spawned',
      proof: { args: { task: "Look.", mode: "session" } },
    },
    {
      status: "error",
      when: "`thread` where the conversation cannot have one.",
      error: 'thread bindings unavailable here; use mode "run"',
      proof: { args: { task: "Look.", thread: true } },
    },
    {
      status: "error",
      when: '`context: "fork"` for another agent.',
      error: spawnTexts.forkOtherAgent("coder"),
      proof: { args: { task: "Look.", agentId: "coder", context: "fork" } },
    },
  ],
};

export const sessionsYield: ToolExamples = {
  examples: [
    {
      title: "Wait until the last sub-agent has ended",
      args: { message: "Then write the summary." },
      after: [SCOUT],
      result: { status: "yielded", waitingFor: 1, wait: "all" },
    },
  ],
  errors: [
    {
      status: "error",
      when: "No sub-agent is at work.",
      error: "there is no unfinished sub-agent to wait for",
      proof: { args: {} },
    },
  ],
};

export const subagents: ToolExamples = {
  examples: [
    {
      title: "The sub-agents of this session",
      args: {},
      after: [SCOUT],
      result: {
        status: "ok",
        active: 1,
        runs: [
          {
            index: 1,
            runId: "00000000-0000-4000-8000-000000000001",
            sessionKey: "agent:main:subagent:00000000-0000-4000-8000-000000000002",
            label: "Scout",
            taskName: "scout",
            status: "queued",
            runtimeSeconds: 0,
            inputTokens: 0,
            outputTokens: 0,
            model: "demo/switchyard",
            depth: 1,
            pendingChildren: 0,
          },
        ],
      },
    },
    {
      title: "Guidance for one, by its task name",
      args: { action: "steer", target: "scout", message: "Only the last week." },
      after: [SCOUT],
      result: {
        status: "ok",
        runId: "00000000-0000-4000-8000-000000000001",
        note: "it reads the guidance at its next step",
      },
    },
    {
      title: "End all",
      args: { action: "kill", target: "all" },
      after: [SCOUT],
      result: { status: "ok", killed: ["00000000-0000-4000-8000-000000000001"] },
    },
  ],
  errors: [
    {
      status: "error",
      when: "No target is given.",
      error: subagentsTexts.noTarget,
      proof: { args: { action: "log" } },
    },
    {
      status: "error",
      when: "`steer` without a message.",
      error: "steer needs a message",
      proof: { args: { action: "steer", target: "last" } },
    },
    {
      status: "error",
      when: "`all` for anything but `kill`.",
      error: "`all` is for kill only",
      proof: { args: { action: "log", target: "all" } },
    },
    {
      status: "error",
      when: "The target is none of this session's tree.",
      error: 'no sub-agent "builder" in this session\'s tree',
      proof: { args: { action: "log", target: "builder" } },
    },
    {
      status: "error",
      when: "The target fits several.",
      error: '"sco" fits several sub-agents: …',
      proof: { args: { action: "log", target: "sco" }, after: [spawn("Scout"), spawn("Score")] },
    },
    {
      status: "error",
      when: "The one to steer has ended.",
      error: "run … has ended; it cannot be steered",
      proof: {
        args: { action: "steer", target: "1", message: "Go on." },
        after: [SCOUT, { tool: "subagents", args: { action: "kill", target: "all" } }],
      },
    },
  ],
};

export const agentsList: ToolExamples = {
  examples: [
    {
      title: "Whom this session may spawn",
      args: {},
      result: {
        status: "ok",
        requester: "main",
        agents: [
          { id: "main", name: "main", model: "demo/switchyard" },
          { id: "coder", name: "coder", model: "local/other" },
        ],
      },
    },
  ],
  errors: [],
};
