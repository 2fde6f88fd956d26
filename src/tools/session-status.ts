import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { modelRefText } from "../core/models.ts";
import { roleAtLeast } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import { parseSessionKey } from "../core/session/session-key.ts";
import { resolveTarget } from "../sessions/resolve-target.ts";
import { routeContext, statusCard, statusFacts } from "../sessions/status.ts";
import { lineageScope } from "../sessions/visibility.ts";
import { stateChanges } from "../store/reads/sessions/activity.ts";
import { activeRoute, findVisible } from "../store/reads/sessions/targets.ts";
import { setSessionSetting } from "../store/steps/sessions/set-session-setting.ts";
import { knownModel } from "../subagents/spawn.ts";
import { sessionKeyInput, visibilityOutput, visibilityPart } from "./session-target.ts";
import { defineTool, type OwnTools, type ToolContext } from "./tool.ts";

const input = z.object({
  sessionKey: sessionKeyInput.default("current"),
  model: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("Sets this session's model from its next turn on; `default` takes the agent's again."),
  changesSince: z.int().min(0).optional().describe("A stateVersion: adds what happened to the session after it."),
});

const output = z.object({
  status: z.literal("ok"),
  card: z.string(),
  details: z.looseObject({ sessionKey: z.string(), stateVersion: z.int(), route: z.looseObject({}) }),
  stateChanges: z.object({ events: z.array(z.looseObject({})), historyGap: z.boolean() }).optional(),
  visibility: visibilityOutput,
});

/** ST-30 … ST-33. */
export const sessionStatus = defineTool({
  name: "session_status",
  description:
    "Shows a session's status: agent, model and why, tokens and context, queue, sub-agents, routes, stateVersion; of this session also its tools. With `model` it sets the session's model, with `changesSince` it adds what changed after that version.",
  group: "sessions",
  profiles: ["minimal", "messaging", "coding"],
  subagents: "all",
  input,
  output,
  execute: async (args, context) => {
    const target = await targetOf(args.sessionKey, context);
    if (args.model !== undefined) await setModel(args.model, target, context);
    const session = args.model === undefined ? target : await again(target, context);
    const { store, settings, services, clock } = context;
    const agent = settings.agents.get(session.agentId);
    if (agent === undefined) throw new ToolError(`agent "${session.agentId}" is not configured any more`);
    const facts = await statusFacts({ store, settings, session, agent, version: services.version, now: clock.now() });
    const route = routeContext(session, (await store.read(activeRoute, session.key))?.route ?? null);
    const tools = toolsOf(session, context);
    const changes =
      args.changesSince === undefined ? {} : { stateChanges: await changesOf(session, args.changesSince, context) };
    return {
      result: {
        status: "ok",
        card: `${statusCard(facts)}${toolsLine(tools)}\n\nRoutes:\n\`\`\`json\n${JSON.stringify(route)}\n\`\`\``,
        details: { ...facts, route, ...tools },
        ...changes,
        ...visibilityPart(context),
      },
    };
  },
});

/** Resolved, then authorised once (FC-106). A sub-agent reaches no further than its own tree, whatever the mode (TP-4). */
async function targetOf(sessionKey: string, context: ToolContext): Promise<Session> {
  const { session } = context;
  const reach = session.depth > 0 ? { ...context, scope: lineageScope(session) } : context;
  const found = await resolveTarget({ sessionKey }, reach);
  if (found === null) return again(session, context);
  // The session of the context is as it was when the turn began.
  return found.session.key === session.key ? again(session, context) : found.session;
}

async function again(session: Session, { store }: ToolContext): Promise<Session> {
  return (await store.read(findVisible, { scope: lineageScope(session), key: session.key })) ?? session;
}

async function setModel(written: string, target: Session, context: ToolContext): Promise<void> {
  const { session, settings, store } = context;
  if (session.depth > 0 && target.key !== session.key) {
    throw new ToolError("a sub-agent may look at its children's sessions, not change them", { status: "forbidden" });
  }
  const { rights } = context.turn.source;
  // The same decision as `/model`: who may not type it may not have the agent do it either.
  if ((rights.group !== null || isGroupChat(target)) && !roleAtLeast(rights.role, "admin")) {
    throw new ToolError("setting the model in a group is for admins; who asked for this turn is none", {
      status: "forbidden",
      hint: "tell them that an admin can do it with /model",
    });
  }
  const value = written === "default" ? null : modelRefText(knownModel(settings, written));
  await store.step(setSessionSetting, { key: target.key, setting: { name: "model", value } });
}

function isGroupChat({ key }: Session): boolean {
  const kind = parseSessionKey(key)?.kind;
  return kind === "group" || kind === "channel";
}

async function changesOf(session: Session, after: number, { store }: ToolContext): Promise<JsonObject> {
  const { key: sessionKey, stateVersion } = session;
  const { events, historyGap } = await store.read(stateChanges, { sessionKey, after, stateVersion });
  return {
    events: events.map(({ sequence, kind, actorType, actor, runId, at, summary, payload }) => ({
      sequence,
      kind,
      actorType,
      actor,
      runId,
      at,
      summary,
      payload,
    })),
    historyGap,
  };
}

/** Of the calling session only: others have other rights. */
function toolsOf(session: Session, context: ToolContext): OwnTools | Record<string, never> {
  return session.key === context.session.key ? context.services.ownTools(session) : {};
}

function toolsLine(own: OwnTools | Record<string, never>): string {
  return own.tools === undefined ? "" : `\n- **Tools:** ${own.tools.join(", ") || "none"}`;
}
