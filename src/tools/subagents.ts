import { z } from "zod";
import type { ToolResult } from "../core/errors.ts";
import { ToolError } from "../core/errors.ts";
import type { Run } from "../core/session/run.ts";
import { readHistory } from "../sessions/history.ts";
import { lineageScope } from "../sessions/visibility.ts";
import { findVisible } from "../store/reads/sessions/targets.ts";
import {
  type ControlDeps,
  kill,
  type ListedRun,
  listRuns,
  ownOpenRuns,
  resolveRun,
  steer,
} from "../subagents/control.ts";
import { redactorOf } from "./session-target.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const LOG_MESSAGES = 20;

const input = z.object({
  action: z.enum(["list", "steer", "kill", "log"]).default("list"),
  target: z
    .string()
    .optional()
    .describe("Run id, child session key, index of the list, taskName, beginning of a label, `last`, or `all` (kill)."),
  message: z.string().optional().describe("The guidance, for steer."),
});

const output = z.object({
  status: z.string(),
  runs: z.array(z.looseObject({ index: z.int(), runId: z.string() })).optional(),
  killed: z.array(z.string()).optional(),
  runId: z.string().optional(),
  note: z.string().optional(),
});

/** SB-1, SB-2: the caller's own tree, whatever the visibility mode says (VS-1). */
export const subagentsTool = defineTool({
  name: "subagents",
  description:
    "Looks after the sub-agents of this session's own tree: `list` those at work and recently ended, `steer` one with guidance for its next step, `kill` one or `all`, `log` what one said so far.",
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  maxResultBytes: 81 * 1024,
  execute: async (args, context) => {
    switch (args.action) {
      case "list":
        return { result: await list(context) };
      case "steer":
        return { result: await steerOne(args, context) };
      case "kill":
        return { result: await killTarget(args.target, context) };
      case "log":
        return { result: await log(args.target, context) };
    }
  },
});

async function list({ store, session, clock }: ToolContext): Promise<ToolResult> {
  const now = clock.now();
  const listed = await listRuns(store, { root: session.key, now });
  const active = listed.filter(({ run }) => run.state !== "ended").length;
  return { status: "ok", active, runs: listed.map((one) => row(one, now)) };
}

function row({ index, run, pendingChildren }: ListedRun, now: number) {
  return {
    index,
    runId: run.id,
    sessionKey: run.sessionKey,
    label: run.label,
    taskName: run.taskName,
    status: run.outcome ?? run.state,
    runtimeSeconds: Math.round(((run.endedAt ?? now) - (run.startedAt ?? run.createdAt)) / 1_000),
    inputTokens: run.inputTokens,
    outputTokens: run.outputTokens,
    model: run.model,
    depth: run.depth,
    pendingChildren,
  };
}

async function steerOne(
  { target, message }: { readonly target?: string | undefined; readonly message?: string | undefined },
  context: ToolContext,
): Promise<ToolResult> {
  const text = message?.trim() ?? "";
  if (text === "") throw new ToolError("steer needs a message");
  const run = await targetRun(target, context);
  const { session, turn, callId } = context;
  await steer(run, { text, from: session.key, rights: turn.source.rights, callId }, controlOf(context));
  return { status: "ok", runId: run.id, note: "it reads the guidance at its next step" };
}

function controlOf({ store, settings, services }: ToolContext): ControlDeps {
  return { store, settings, liveTurns: services.liveTurns };
}

async function killTarget(target: string | undefined, context: ToolContext): Promise<ToolResult> {
  const { store, session, clock } = context;
  const all = target?.trim().toLowerCase() === "all";
  const runs = all
    ? await ownOpenRuns(store, { root: session.key, now: clock.now() })
    : [await targetRun(target, context)];
  const killed = await kill(runs, controlOf(context));
  if (killed.length > 0) return { status: "ok", killed };
  return { status: "ok", killed, note: all ? "no sub-agent was at work" : "it had ended already; nothing was done" };
}

async function log(target: string | undefined, context: ToolContext): Promise<ToolResult> {
  const { store, session } = context;
  const run = await targetRun(target, context);
  const child = await store.read(findVisible, { scope: lineageScope(session), key: run.sessionKey });
  if (child === null) throw new ToolError(`the session of run ${run.id} is gone`);
  const { messages, truncated, contentRedacted } = await readHistory(store, {
    sessionId: child.sessionId,
    limit: LOG_MESSAGES,
    before: null,
    includeTools: true,
    redact: redactorOf(context),
  });
  return { status: "ok", runId: run.id, sessionKey: child.key, messages, truncated, contentRedacted };
}

async function targetRun(target: string | undefined, { store, session, clock }: ToolContext): Promise<Run> {
  if (target === undefined || target.trim() === "")
    throw new ToolError("name a target", { hint: "see subagents list" });
  if (target.trim().toLowerCase() === "all") throw new ToolError("`all` is for kill only");
  return resolveRun(store, { root: session.key, target, now: clock.now() });
}
