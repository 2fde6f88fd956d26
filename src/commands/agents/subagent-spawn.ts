import { z } from "zod";
import { ToolError } from "../../core/errors.ts";
import { newChain } from "../../core/session/run.ts";
import { THINKING_LEVELS } from "../../core/session/session.ts";
import { escapeMarkers } from "../../core/text/prompt-words.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { sessionModel } from "../../sessions/context-window.ts";
import { spawn } from "../../store/steps/runs/spawn.ts";
import { fullError, planSpawn } from "../../subagents/spawn.ts";
import type { CommandContext } from "../command.ts";
import { takeWord } from "../command.ts";
import { ownSession } from "../session/own-session.ts";
import { runName, runTitle } from "./subagent-text.ts";

const THREAD = /^--thread(?=\s)\s*/;
const OPTION = /^--([a-z]+)(?:=|\s+)(?=\S)/;

const options = z.strictObject({
  agent: z.string().optional(),
  model: z.string().optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  label: z.string().trim().min(1).max(120).optional(),
  timeout: z.coerce.number().min(0).max(604_800).optional(),
});

const texts = agentTexts.spawn;

/**
 * `/subagents spawn [options] <task>`: a sub-agent of this conversation's session; its result is sent here (SB-3). Keyed
 * by the command, so that carrying it out again spawns nothing more. Refused where the agent itself may not spawn for the
 * sender.
 */
export async function spawnHere(text: string, context: CommandContext): Promise<string> {
  const { services, rights, route, cause } = context;
  const { settings, store, ids, effectiveTools } = services;
  const { task, options: wanted, thread } = readTask(text);
  const { session, agent } = await ownSession(context);
  const model = sessionModel(settings, agent, session);
  const { removed } = effectiveTools({ settings, agent, session, rights, model });
  const taken = removed.find(({ tool }) => tool === "sessions_spawn");
  if (taken !== undefined) {
    throw new ToolError(texts.refused(taken.layer));
  }
  const plan = await planSpawn(
    {
      task: escapeMarkers(task),
      // What the completion and every list call it by.
      label: wanted.label ?? runTitle({ label: null, taskName: null, task }),
      taskName: null,
      agentId: wanted.agent ?? null,
      model: wanted.model ?? null,
      thinking: wanted.thinking ?? null,
      runTimeoutSeconds: wanted.timeout ?? null,
      expectsCompletion: true,
      completionTarget: null,
      thread,
      mode: null,
      cleanup: "keep",
      context: null,
    },
    {
      settings,
      session,
      childId: ids.uuid(),
      route,
      anchorMessageId: null,
      byPerson: true,
      threads: services.threads,
      log: services.log,
    },
  );
  const spawned = await store.step(spawn, {
    ...plan,
    callId: cause,
    runId: ids.uuid(),
    rights,
    chain: newChain(cause),
    turn: null,
  });
  if (spawned.result === "full") throw fullError(plan.maxChildren, spawned.holding);
  const { run } = spawned;
  return (thread ? texts.startedInThread : texts.started)(runName(run), run.model, run.id);
}

function readTask(text: string): {
  readonly task: string;
  readonly options: z.output<typeof options>;
  readonly thread: boolean;
} {
  const given: Record<string, string> = {};
  let thread = false;
  let left = text.trim();
  for (;;) {
    const flag = THREAD.exec(left);
    const found = flag ?? OPTION.exec(left);
    if (found === null) break;
    left = left.slice(found[0].length);
    if (flag !== null) {
      thread = true;
      continue;
    }
    const [value, after] = takeWord(left);
    given[found[1] ?? ""] = value;
    left = after;
  }
  const parsed = options.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ToolError(texts.badOption(issue?.path.join(".") || null, issue?.message ?? null), {
      hint: texts.options,
    });
  }
  if (left === "")
    throw new ToolError(texts.noTask, {
      hint: `${texts.usage} ${texts.options}`,
    });
  return { task: left, options: parsed.data, thread };
}
