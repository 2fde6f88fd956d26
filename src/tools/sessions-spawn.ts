import { z } from "zod";
import { ToolError, type ToolResult, toolError } from "../core/errors.ts";
import type { Run } from "../core/session/run.ts";
import { THINKING_LEVELS } from "../core/session/session.ts";
import { spawn } from "../store/steps/runs/spawn.ts";
import { fullError, planSpawn } from "../subagents/spawn.ts";
import { defineTool, fenceOf, toolResultMessage } from "./tool.ts";

const input = z.looseObject({
  task: z.string().trim().min(1).describe("What the sub-agent shall do, with everything it needs to know."),
  label: z.string().trim().min(1).max(120).optional().describe("A short name that people read."),
  taskName: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, "must be like fetch-news: small letters, digits, _ and -")
    .refine((name) => name !== "last" && name !== "all", "must not be last or all")
    .optional()
    .describe("A name for `subagents` to steer or kill it by."),
  agentId: z.string().trim().min(1).optional().describe("One of agents_list; default this agent."),
  runtime: z.enum(["subagent", "acp"]).default("subagent"),
  model: z.string().trim().min(1).optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  runTimeoutSeconds: z.number().min(0).max(604_800).optional().describe("Ends the run after this time; 0: never."),
  thread: z
    .boolean()
    .default(false)
    .describe(
      "true: it gets a thread of its own, where people read its answers and talk with it. Refused at once where there are no threads.",
    ),
  mode: z
    .enum(["run", "session"])
    .optional()
    .describe("session: it stays for more talk in its thread; needs thread: true, and is its default."),
  cleanup: z
    .enum(["keep", "delete"])
    .default("keep")
    .describe("delete: its session and transcript are removed when its result has been handed over."),
  sandbox: z.enum(["inherit", "require"]).default("inherit"),
  context: z
    .enum(["isolated", "fork"])
    .optional()
    .describe("fork: it knows this conversation so far. Default isolated, with a thread as configured."),
  expectsCompletionMessage: z.boolean().default(true).describe("false: its result is not handed over to you."),
  completionTarget: z
    .enum(["channel", "parent"])
    .optional()
    .describe(
      "channel (default): its result comes to you, and your answer to it is posted. parent: its result is for you alone; your answer to it is not posted. With a thread and without this, its result is read there and does not come to you.",
    ),
  cwd: z.string().optional(),
  resumeSessionId: z.string().optional(),
  streamTo: z.literal("parent").optional(),
});

const output = z.object({
  status: z.enum(["accepted", "forbidden", "error"]),
  runId: z.string().optional(),
  childSessionKey: z.string().optional(),
  mode: z.enum(["run", "session"]).optional(),
  model: z.string().optional(),
  note: z.string().optional(),
  error: z.string().optional(),
});

type Args = z.output<typeof input>;

/** SP-3. */
const DELIVERY_PARAMETERS: readonly string[] = ["target", "channel", "to", "threadId", "replyTo", "transport"];

/** SP-1 … SP-8, the native runtime. */
export const sessionsSpawn = defineTool({
  name: "sessions_spawn",
  description:
    "Starts a sub-agent on a task of its own and returns at once with its run id. Its result comes back to this session as a message when it has ended; where people read that is decided already, so no delivery parameters exist.",
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  execute: async (args, context) => {
    refuseDelivery(args);
    refuseUnavailable(args);
    const { session, settings, turn, ids, store, callId, modelCallId } = context;
    const { route, replyTo, kind } = turn.source;
    const plan = await planSpawn(
      {
        task: args.task,
        label: args.label ?? null,
        taskName: args.taskName ?? null,
        agentId: args.agentId ?? null,
        model: args.model ?? null,
        thinking: args.thinking ?? null,
        runTimeoutSeconds: args.runTimeoutSeconds ?? null,
        expectsCompletion: args.expectsCompletionMessage,
        completionTarget: args.completionTarget ?? null,
        thread: args.thread,
        mode: args.mode ?? null,
        cleanup: args.cleanup,
        context: args.context ?? null,
      },
      {
        settings,
        session,
        childId: ids.uuid(),
        route,
        anchorMessageId: kind === "event" ? replyTo : null,
        byPerson: false,
        threads: context.services.threads,
        log: context.log,
      },
    );
    const spawned = await store.step(spawn, {
      ...plan,
      callId,
      runId: ids.uuid(),
      rights: turn.source.rights,
      chain: turn.source.chain,
      turn: {
        ...fenceOf(context),
        resultOf: (run) => toolResultMessage({ callId: modelCallId, name: "sessions_spawn" }, accepted(run)),
      },
    });
    switch (spawned.result) {
      case "accepted":
        return { result: accepted(spawned.run), stored: true };
      case "full": {
        const { message, status } = fullError(plan.maxChildren, spawned.holding);
        return { result: toolError(message, "wait for one of them, or end one with subagents kill", status) };
      }
    }
  },
});

/** From the run alone: a replay says exactly the same (SP-2). */
function accepted(run: Run): ToolResult {
  return {
    status: "accepted",
    runId: run.id,
    childSessionKey: run.sessionKey,
    mode: run.mode,
    model: run.model,
    note: noteOf(run),
  };
}

function noteOf(run: Run): string {
  const alone =
    run.context === "over_window" ? " It began without this conversation, which is too long for its model." : "";
  if (run.completionTarget === "thread") {
    return `A thread is made for it; people read its answers there and you get no message of it, unless the thread cannot be made.${alone}`;
  }
  if (!run.expectsCompletion) {
    return `It works on its own; its result is not handed over. Look with subagents list.${alone}`;
  }
  return `It works on its own. Its result reaches you as a message that begins with [Completion …]; do not poll for it.${alone}`;
}

function refuseDelivery(args: Args): void {
  const given = DELIVERY_PARAMETERS.filter((name) => args[name] !== undefined);
  if (given.length === 0) return;
  throw new ToolError(`sessions_spawn takes no delivery parameters (${given.join(", ")})`, {
    hint: "leave them out: results go back to this session, and its answer to the conversation that asked",
  });
}

/** Every parameter that cannot be honoured is named at once, before anything is spawned (SP-1, FC-101). */
function refuseUnavailable(args: Args): void {
  const refused = [
    args.runtime === "acp" ? 'runtime "acp" is not available' : null,
    ...(["cwd", "resumeSessionId", "streamTo"] as const).map((name) =>
      args[name] === undefined ? null : `${name} is for runtime "acp" only`,
    ),
  ].filter((text) => text !== null);
  if (refused.length > 0) {
    throw new ToolError(`${refused.join("; ")}; nothing was spawned`, {
      hint: 'spawn with runtime "subagent" and without the named parameters',
    });
  }
  if (args.sandbox === "require") {
    throw new ToolError('sandbox "require" needs a sandboxed target, and agents.defaults.sandbox.mode is off', {
      status: "forbidden",
    });
  }
}
