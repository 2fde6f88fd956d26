import { z } from "zod";
import { ToolError } from "../../core/errors.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import { type SessionKey, threadParent } from "../../core/session/session-key.ts";
import { nameInChat } from "../../core/text/visible.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { lastSpawnerHere } from "../../store/reads/runs/bindings.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import { focus } from "../../store/steps/runs/focus.ts";
import { unfocus } from "../../store/steps/runs/unfocus.ts";
import { resolveRun } from "../../subagents/control.ts";
import { lifeText, planThread, threadSettingsOf } from "../../subagents/thread-plan.ts";
import { type CommandAnswer, type CommandContext, defineCommand } from "../command.ts";
import { runTitle } from "./subagent-text.ts";

const texts = agentTexts.focus;

/** `/focus <target>` (TB-5): this thread, or a new one, belongs to a session of the tree from now on. */
export const focusCommand = defineCommand({
  name: "focus",
  group: "sub-agents",
  summary: texts.summary,
  arguments: [
    {
      name: "target",
      description: texts.target,
      required: true,
      rest: true,
      suggests: "sub-agent",
    },
  ],
  input: z.object({ target: z.string().trim().min(1, texts.targetMissing) }),
  role: "user",
  execute: async ({ target }, context) => {
    const refused = refuseInGroup(context);
    if (refused !== null) return refused;
    const { services, route, cause, sender } = context;
    const { store, settings } = services;
    const wanted = threadSettingsOf(settings, route);
    if (!wanted.enabled) throw new ToolError(texts.disabled);
    const { sessionKey, name } = await meant(target, context);
    const actor = `${route.channel}:${sender.id}`;
    const { idleMs, maxAgeMs } = wanted;
    const limits = { idleMs, maxAgeMs };
    if (route.threadId !== null) {
      await store.step(focus, { ...limits, cause, sessionKey, actor, route, thread: null });
      return { text: texts.linked(nameInChat(name), lifeText(limits)) };
    }
    const session = await store.read(sessionByKey, sessionKey);
    const { content } = await planThread(
      { route, name, agentId: session?.agentId ?? "", anchorMessageId: null, byPerson: true },
      { settings, threads: services.threads, log: services.log },
    );
    await store.step(focus, { ...limits, cause, sessionKey, actor, route, thread: content });
    return { text: texts.threadComing(nameInChat(name)) };
  },
});

/** `/unfocus` (TB-5): the session stays open; messages here go where they would go without it. */
export const unfocusCommand = defineCommand({
  name: "unfocus",
  group: "sub-agents",
  summary: texts.unlinkSummary,
  arguments: [],
  input: z.object({}),
  role: "user",
  execute: (_args, context) => release(context),
});

export async function release(context: CommandContext): Promise<CommandAnswer> {
  const refused = refuseInGroup(context);
  if (refused !== null) return refused;
  const { services, route, sender, givenAt } = context;
  const actor = `${route.channel}:${sender.id}`;
  const released = await services.store.step(unfocus, { route, actor, givenAt });
  if (released === null) return { text: texts.notLinked };
  return { text: texts.unlinked(released) };
}

/** Who may bind in a group (CM-6). */
export function refuseInGroup({ inGroup, rights }: CommandContext): CommandAnswer | null {
  if (!inGroup || roleAtLeast(rights.role, "admin")) return null;
  return { text: texts.adminsOnly, private: true, refused: true };
}

interface Meant {
  readonly sessionKey: SessionKey;
  readonly name: string;
}

/**
 * A session of this one's tree, of the tree of the conversation around it, or of the one whose sub-agent had this thread before:
 * on Slack that is a thread beside this one (TB-5).
 */
async function meant(target: string, { services, sessionKey, route }: CommandContext): Promise<Meant> {
  const { store, clock } = services;
  const own = await store.read(sessionByKey, sessionKey);
  const around = threadParent(sessionKey) ?? own?.spawnedBy ?? null;
  const before = await store.read(lastSpawnerHere, route);
  const roots = [...new Set([sessionKey, around, before].filter((root) => root !== null))];
  const named = roots.find((root) => root === target);
  if (named !== undefined) return { sessionKey: named, name: named };
  let problem: ToolError | null = null;
  for (const root of roots) {
    try {
      const run = await resolveRun(store, { root, target, now: clock.now() });
      return { sessionKey: run.sessionKey, name: runTitle(run) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      problem = error;
    }
  }
  throw problem ?? new ToolError(texts.unknown(target));
}
