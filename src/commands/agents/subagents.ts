import { z } from "zod";
import { ToolError } from "../../core/errors.ts";
import { assertNever } from "../../core/runtime.ts";
import type { Run } from "../../core/session/run.ts";
import { createRedactor } from "../../core/text/redact.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { readHistory } from "../../sessions/history.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { retryCompletion } from "../../store/steps/runs/retry-completion.ts";
import { kill, listRuns, ownOpenRuns, resolveRun, steer } from "../../subagents/control.ts";
import { type CommandContext, defineCommand, takeWord } from "../command.ts";
import { spawnHere } from "./subagent-spawn.ts";
import { runCard, runList, runLog, runName, runState } from "./subagent-text.ts";

const texts = agentTexts.subagents;
const ACTIONS = ["list", "info", "log", "steer", "kill", "retry", "spawn"] as const;

/** Actions that start no model work; an unknown action counts as if it did. */
const IDLE_ACTION = /^(?:$|["“”„«‘]?(?:list|info|log|kill)\b)/;

/** `/subagents list|info|log|steer|kill|retry|spawn …` for the session of the conversation it is typed in (SB-3). */
export const subagents = defineCommand({
  name: "subagents",
  group: "sub-agents",
  summary: texts.summary,
  arguments: [
    { name: "action", description: agentTexts.action, choices: ACTIONS },
    {
      name: "rest",
      description: texts.rest,
      rest: true,
    },
  ],
  input: z.object({ action: z.enum(ACTIONS).default("list"), rest: z.string().default("") }),
  role: "user",
  startsWork: (args) => !IDLE_ACTION.test(args),
  execute: async ({ action, rest }, context) => ({ text: await answerText(action, rest, context) }),
});

function answerText(action: (typeof ACTIONS)[number], rest: string, context: CommandContext): Promise<string> {
  switch (action) {
    case "list":
      return listHere(context);
    case "info":
      return infoOf(named(rest, action), context);
    case "log":
      return logOf(named(rest, action), context);
    case "kill":
      return killTarget(named(rest, action), context);
    case "retry":
      return retryResult(named(rest, action), context);
    case "steer": {
      const [target, message] = takeWord(rest.trimStart());
      if (target === "" || message.trim() === "") throw new ToolError(texts.usageSteer);
      return steerOne(target, message, context);
    }
    case "spawn":
      return spawnHere(rest, context);
  }
}

function named(rest: string, action: string): string {
  const [word, more] = takeWord(rest.trim());
  const target = more === "" ? word : rest.trim();
  if (target === "") throw new ToolError(texts.usage(action), { hint: texts.usageHint });
  return target;
}

/** `/kill <target|all>` (SB-2, SB-3): ends a sub-agent and all it started. */
export const killCommand = defineCommand({
  name: "kill",
  group: "sub-agents",
  summary: agentTexts.kill.summary,
  arguments: [
    {
      name: "target",
      description: agentTexts.targetOrAll,
      required: true,
      rest: true,
      suggests: "sub-agent",
    },
  ],
  input: z.object({ target: z.string() }),
  role: "user",
  execute: async ({ target }, context) => ({ text: await killTarget(target, context) }),
});

/** `/steer <target> <text>`, also `/tell` (SB-2, SB-3): guidance a running sub-agent reads at its next step. */
export const steerCommand = defineCommand({
  name: "steer",
  aliases: ["tell"],
  group: "sub-agents",
  summary: agentTexts.steer.summary,
  arguments: [
    { name: "target", description: agentTexts.target, required: true, suggests: "sub-agent" },
    { name: "text", description: agentTexts.steer.text, required: true, rest: true },
  ],
  input: z.object({ target: z.string(), text: z.string() }),
  role: "user",
  startsWork: () => true,
  execute: async ({ target, text }, context) => ({ text: await steerOne(target, text, context) }),
});

/* What people may do with the sub-agents of the conversation's session (SB-3): the same functions as the `subagents` tool. */

const LOG_MESSAGES = 12;

export async function listHere({ services, sessionKey }: CommandContext): Promise<string> {
  const now = services.clock.now();
  const listed = await listRuns(services.store, { root: sessionKey, now });
  if (listed.length === 0) return texts.none;
  return `${texts.title}\n${runList(listed, now)}`;
}

export async function infoOf(target: string, context: CommandContext): Promise<string> {
  const { services, sessionKey } = context;
  const now = services.clock.now();
  const run = await runMeant(target, context);
  const listed = await listRuns(services.store, { root: sessionKey, now });
  const { pendingChildren = 0, thread = null } = listed.find((one) => one.run.id === run.id) ?? {};
  return runCard({ run, pendingChildren, thread }, now);
}

export async function logOf(target: string, context: CommandContext): Promise<string> {
  const { store, settings } = context.services;
  const run = await runMeant(target, context);
  const child = await store.read(sessionByKey, run.sessionKey);
  if (child === null) throw new ToolError(texts.sessionGone(runName(run)));
  const { messages } = await readHistory(store, {
    sessionId: child.sessionId,
    limit: LOG_MESSAGES,
    before: null,
    includeTools: true,
    redact: createRedactor(settings.secrets),
  });
  if (messages.length === 0) return texts.silent(runName(run));
  return `${texts.log(runName(run), runState(run))}\n${runLog(messages)}`;
}

/** SB-2. A replayed command steers once: the guidance is keyed by it. */
export async function steerOne(target: string, text: string, context: CommandContext): Promise<string> {
  const { services, sender, rights, cause } = context;
  const run = await runMeant(target, context);
  await steer(run, { text, from: sender.name, rights, chain: null, callId: cause }, services);
  return agentTexts.steer.done(runName(run));
}

/** SB-2. `all`: every sub-agent of this session that was there when the command was given. */
export async function killTarget(target: string, context: CommandContext): Promise<string> {
  const { services, sessionKey: root, givenAt } = context;
  if (target.trim().toLowerCase() !== "all") {
    const run = await runMeant(target, context);
    const ended = await kill([run], services);
    if (ended.length === 0) return agentTexts.kill.alreadyEnded(runName(run), runState(run));
    return ended.length === 1
      ? agentTexts.kill.stopped(runName(run))
      : agentTexts.kill.stoppedTree(runName(run), ended.length - 1);
  }
  const open = await ownOpenRuns(services.store, { root, now: services.clock.now() });
  const ended = await kill(
    open.filter((run) => run.createdAt <= givenAt),
    services,
  );
  if (ended.length === 0) return agentTexts.kill.nothing;
  return agentTexts.kill.stoppedAll(ended.length);
}

/** CP-2: retries a result that could not be processed, in this conversation's session. */
export async function retryResult(target: string, context: CommandContext): Promise<string> {
  const run = await runMeant(target, context);
  const name = runName(run);
  if (run.state !== "ended") return agentTexts.retry.running(name);
  const retried = await context.services.store.step(retryCompletion, { runId: run.id, cause: context.cause });
  switch (retried.result) {
    case "done":
      return agentTexts.retry.done(name);
    case "refused":
      return agentTexts.retry.notLost(name, retried.state);
    case "not_found":
    case "requester_gone":
      return agentTexts.retry.requesterGone(name);
    default:
      return assertNever(retried);
  }
}

function runMeant(target: string, { services, sessionKey: root }: CommandContext): Promise<Run> {
  return resolveRun(services.store, { root, target, now: services.clock.now() });
}
