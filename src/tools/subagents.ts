import { z } from "zod";
import type { ToolResult } from "../core/errors.ts";
import { ToolError } from "../core/errors.ts";
import type { Run } from "../core/session/run.ts";
import { chainOf } from "../core/session/run.ts";
import { subagentsTexts } from "../core/texts/agent/tools/subagents.ts";
import { readHistory } from "../sessions/history.ts";
import { lineageScope } from "../sessions/visibility.ts";
import { findVisible } from "../store/reads/sessions/targets.ts";
import { setSessionSetting } from "../store/steps/sessions/set-session-setting.ts";
import {
  type ControlDeps,
  kill,
  type ListedRun,
  listRuns,
  ownOpenRuns,
  resolveRun,
  steer,
} from "../subagents/control.ts";
import { redactorOf, toolView } from "./session-target.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const LOG_MESSAGES = 20;
const LONGEST_NAME = 80;

const input = z.object({
  action: z.enum(["list", "steer", "kill", "log", "name"]).default("list"),
  target: z.string().optional().describe(subagentsTexts.target),
  message: z.string().optional().describe(subagentsTexts.message),
});

const output = z.object({
  status: z.string(),
  runs: z.array(z.looseObject({ index: z.int(), runId: z.string() })).optional(),
  killed: z.array(z.string()).optional(),
  runId: z.string().optional(),
  note: z.string().optional(),
});

/** SB-1, SB-2: the caller's own tree, in every visibility mode (VS-1). */
export const subagentsTool = defineTool({
  name: "subagents",
  description: subagentsTexts.description,
  group: "sessions",
  profiles: ["coding"],
  subagents: "spawners",
  input,
  output,
  otherNames: { synonyms: { runId: "target", text: "message" } },
  maxResultBytes: 81 * 1024,
  execute: async (args, context) => {
    switch (args.action) {
      case "list":
        return { result: await list(context) };
      case "steer":
        return { result: await steerOne(args, context) };
      case "kill":
        return { result: await killTarget(args.target, context) };
      case "name":
        return { result: await nameOne(args, context) };
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

function row({ index, run, pendingChildren, thread }: ListedRun, now: number) {
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
    ...(thread === null ? {} : { threadRoute: { ...thread } }),
  };
}

async function steerOne(
  { target, message }: { readonly target?: string | undefined; readonly message?: string | undefined },
  context: ToolContext,
): Promise<ToolResult> {
  const text = message?.trim() ?? "";
  if (text === "") throw new ToolError(subagentsTexts.noMessage);
  const run = await targetRun(target, context);
  const { session, turn, callId } = context;
  const { rights } = turn.source;
  await steer(run, { text, from: session.key, rights, chain: chainOf(turn), callId }, controlOf(context));
  return { status: "ok", runId: run.id, note: subagentsTexts.steered };
}

/** FC-235: the name that people and tools find it by. */
async function nameOne(
  { target, message }: { readonly target?: string | undefined; readonly message?: string | undefined },
  context: ToolContext,
): Promise<ToolResult> {
  const value = message?.replace(/\s+/g, " ").trim().slice(0, LONGEST_NAME) ?? "";
  if (value === "") throw new ToolError(subagentsTexts.noName);
  const { sessionKey, id } = await targetRun(target, context);
  await context.store.step(setSessionSetting, { key: sessionKey, setting: { name: "displayName", value } });
  return { status: "ok", runId: id, sessionKey, name: value };
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
  return { status: "ok", killed, note: all ? subagentsTexts.noneRunning : subagentsTexts.endedBefore };
}

async function log(target: string | undefined, context: ToolContext): Promise<ToolResult> {
  const { store, session } = context;
  const run = await targetRun(target, context);
  const child = await store.read(findVisible, { scope: lineageScope(session), key: run.sessionKey });
  if (child === null) throw new ToolError(subagentsTexts.sessionGone(run.id));
  const { messages, truncated, contentRedacted } = await readHistory(store, {
    sessionId: child.sessionId,
    limit: LOG_MESSAGES,
    before: null,
    includeTools: true,
    redact: redactorOf(context),
  });
  return {
    status: "ok",
    runId: run.id,
    sessionKey: child.key,
    messages: messages.map((message) => toolView(message, context)),
    truncated,
    contentRedacted,
  };
}

async function targetRun(target: string | undefined, { store, session, clock }: ToolContext): Promise<Run> {
  if (target === undefined || target.trim() === "")
    throw new ToolError(subagentsTexts.noTarget, { hint: subagentsTexts.noTargetHint });
  if (target.trim().toLowerCase() === "all") throw new ToolError(subagentsTexts.allIsForKill);
  return resolveRun(store, { root: session.key, target, now: clock.now() });
}
