import { ToolError } from "../../core/errors.ts";
import { assertNever } from "../../core/runtime.ts";
import type { Run } from "../../core/session/run.ts";
import { createRedactor } from "../../core/text/redact.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { readHistory } from "../../sessions/history.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { retryCompletion } from "../../store/steps/runs/retry-completion.ts";
import { kill, listRuns, ownOpenRuns, resolveRun, steer } from "../../subagents/control.ts";
import type { CommandContext } from "../command.ts";
import { runCard, runList, runLog, runName, runState } from "./subagent-text.ts";

/* What people may do with the sub-agents of the conversation's session (SB-3): the same functions as the `subagents` tool. */

const texts = agentTexts.subagents;
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
  const pendingChildren = listed.find((one) => one.run.id === run.id)?.pendingChildren ?? 0;
  return runCard({ run, pendingChildren }, now);
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
  await steer(run, { text, from: sender.name, rights, callId: cause }, services);
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

/** CP-2: a result that could not be worked on is handed over once more, to be answered in this conversation's session. */
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
