import { z } from "zod";
import { ToolError, type ToolResult, toolError } from "../core/errors.ts";
import type { Run } from "../core/session/run.ts";
import { THINKING_LEVELS } from "../core/session/session.ts";
import { spawnToolTexts } from "../core/texts/agent/tools/sessions-spawn.ts";
import { spawn } from "../store/steps/runs/spawn.ts";
import { fullError, planSpawn } from "../subagents/spawn.ts";
import { defineTool, fenceOf, toolResultMessage } from "./tool.ts";

const input = z.looseObject({
  task: z.string().trim().min(1).describe(spawnToolTexts.task),
  label: z.string().trim().min(1).max(120).optional().describe(spawnToolTexts.label),
  taskName: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, spawnToolTexts.taskNameForm)
    .refine((name) => name !== "last" && name !== "all", spawnToolTexts.taskNameReserved)
    .optional()
    .describe(spawnToolTexts.taskName),
  agentId: z.string().trim().min(1).optional().describe(spawnToolTexts.agentId),
  runtime: z.enum(["subagent", "acp"]).default("subagent"),
  model: z.string().trim().min(1).optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  runTimeoutSeconds: z.number().min(0).max(604_800).optional().describe(spawnToolTexts.runTimeoutSeconds),
  thread: z.boolean().default(false).describe(spawnToolTexts.thread),
  mode: z.enum(["run", "session"]).optional().describe(spawnToolTexts.mode),
  cleanup: z.enum(["keep", "delete"]).default("keep").describe(spawnToolTexts.cleanup),
  sandbox: z.enum(["inherit", "require"]).default("inherit"),
  context: z.enum(["isolated", "fork"]).optional().describe(spawnToolTexts.context),
  expectsCompletionMessage: z.boolean().default(true).describe(spawnToolTexts.expectsCompletion),
  completionTarget: z.enum(["channel", "parent"]).optional().describe(spawnToolTexts.completionTarget),
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
  description: spawnToolTexts.description,
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
        return { result: toolError(message, spawnToolTexts.fullHint, status) };
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
  const alone = run.context === "over_window";
  if (run.completionTarget === "thread") return spawnToolTexts.noteThread(alone);
  if (!run.expectsCompletion) return spawnToolTexts.noteSilent(alone);
  return run.completionTarget === "parent" ? spawnToolTexts.noteParent(alone) : spawnToolTexts.noteChannel(alone);
}

function refuseDelivery(args: Args): void {
  const given = DELIVERY_PARAMETERS.filter((name) => args[name] !== undefined);
  if (given.length === 0) return;
  throw new ToolError(spawnToolTexts.delivery(given), {
    hint: spawnToolTexts.deliveryHint,
  });
}

/** Every parameter that cannot be honoured is named at once, before anything is spawned (SP-1, FC-101). */
function refuseUnavailable(args: Args): void {
  const refused = [
    args.runtime === "acp" ? spawnToolTexts.noAcp : null,
    ...(["cwd", "resumeSessionId", "streamTo"] as const).map((name) =>
      args[name] === undefined ? null : spawnToolTexts.acpOnly(name),
    ),
  ].filter((text) => text !== null);
  if (refused.length > 0) {
    throw new ToolError(spawnToolTexts.unavailable(refused), {
      hint: spawnToolTexts.unavailableHint,
    });
  }
  if (args.sandbox === "require") {
    throw new ToolError(spawnToolTexts.sandbox, {
      status: "forbidden",
    });
  }
}
