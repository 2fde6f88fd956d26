import { z } from "zod";
import { type ToolResult, toolError } from "../core/errors.ts";
import type { Run } from "../core/session/run.ts";
import { chainOf } from "../core/session/run.ts";
import { THINKING_LEVELS } from "../core/session/session.ts";
import { spawnToolTexts } from "../core/texts/agent/tools/sessions-spawn.ts";
import { spawn } from "../store/steps/runs/spawn.ts";
import { fullError, planSpawn } from "../subagents/spawn.ts";
import { refuseStopped } from "./stopped-chain.ts";
import { defineTool, fenceOf, type OtherNames, toolResultMessage } from "./tool.ts";

const input = z.object({
  task: z.string().trim().min(1).describe(spawnToolTexts.task),
  label: z.string().trim().min(1).max(120).optional().describe(spawnToolTexts.label),
  taskName: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, spawnToolTexts.taskNameForm)
    .refine((name) => name !== "last" && name !== "all", spawnToolTexts.taskNameReserved)
    .optional()
    .describe(spawnToolTexts.taskName),
  agentId: z.string().trim().min(1).optional().describe(spawnToolTexts.agentId),
  model: z.string().trim().min(1).optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  runTimeoutSeconds: z.number().min(0).max(604_800).optional().describe(spawnToolTexts.runTimeoutSeconds),
  thread: z.boolean().default(false).describe(spawnToolTexts.thread),
  mode: z.enum(["run", "session"]).optional().describe(spawnToolTexts.mode),
  cleanup: z.enum(["keep", "delete"]).default("keep").describe(spawnToolTexts.cleanup),
  context: z.enum(["isolated", "fork"]).optional().describe(spawnToolTexts.context),
  expectsCompletionMessage: z.boolean().default(true).describe(spawnToolTexts.expectsCompletion),
  completionTarget: z.enum(["channel", "parent"]).optional().describe(spawnToolTexts.completionTarget),
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

/** SP-3: delivery is decided already; the rest belongs to a runtime and a sandbox that are not built. */
const DELIVERY = ["target", "channel", "to", "threadId", "replyTo", "transport"];
const NOT_BUILT = ["runtime", "sandbox", "cwd", "resumeSessionId", "streamTo"];

const otherNames: OtherNames = {
  synonyms: { timeoutSeconds: "runTimeoutSeconds", timeout: "runTimeoutSeconds", prompt: "task", name: "label" },
  implied: { runtime: "subagent", sandbox: "inherit" },
  refused: Object.fromEntries([
    ...DELIVERY.map((name) => [name, spawnToolTexts.deliveryHint]),
    ...NOT_BUILT.map((name) => [name, spawnToolTexts.unavailableHint]),
  ]),
};

/** SP-1 … SP-8, the native runtime. */
export const sessionsSpawn = defineTool({
  name: "sessions_spawn",
  description: spawnToolTexts.description,
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  otherNames,
  execute: async (args, context) => {
    const { session, settings, turn, ids, store, callId, modelCallId } = context;
    const { route, replyTo, kind } = turn.source;
    await refuseStopped(context);
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
      chain: chainOf(turn),
      turn: {
        ...fenceOf(context),
        resultOf: (run) =>
          toolResultMessage({ callId: modelCallId, name: "sessions_spawn" }, accepted(run), context.adjusted),
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
