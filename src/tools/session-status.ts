import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { modelRefText } from "../core/models.ts";
import { roleAtLeast } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import { parseSessionKey } from "../core/session/session-key.ts";
import { utf8Length } from "../core/text/cut.ts";
import { targetTexts } from "../core/texts/agent/tool-calls.ts";
import { statusTexts } from "../core/texts/agent/tools/session-status.ts";
import { resolveTarget } from "../sessions/resolve-target.ts";
import { agentStatusCard, routeContext, statusFacts } from "../sessions/status.ts";
import { lineageScope } from "../sessions/visibility.ts";
import { activeRoute, findVisible, stateChanges } from "../store/reads/sessions/targets.ts";
import { setSessionSetting } from "../store/steps/sessions/set-session-setting.ts";
import { knownModel } from "../subagents/spawn.ts";
import { sessionKeyInput } from "./session-target.ts";
import { defineTool, type OwnTools, type ToolContext } from "./tool.ts";

/** The rest of the result, its lists of tools included, has as much room again. */
const MAX_CHANGES_BYTES = 32 * 1024;

const input = z.object({
  sessionKey: sessionKeyInput.default("current"),
  model: z.string().trim().min(1).optional().describe(statusTexts.model),
  changesSince: z.int().min(0).optional().describe(statusTexts.changesSince),
});

const output = z.object({
  status: z.literal("ok"),
  card: z.string(),
  details: z.looseObject({ sessionKey: z.string(), stateVersion: z.int(), route: z.looseObject({}) }),
  stateChanges: z
    .object({
      events: z.array(z.looseObject({})),
      historyGap: z.boolean(),
      hasMore: z.boolean(),
      nextChangesSince: z.int().optional(),
    })
    .optional(),
});

/** ST-30 … ST-33. */
export const sessionStatus = defineTool({
  name: "session_status",
  description: statusTexts.description,
  group: "sessions",
  profiles: ["minimal", "messaging", "coding"],
  subagents: "all",
  input,
  output,
  maxResultBytes: 64 * 1024,
  otherNames: { synonyms: { key: "sessionKey", session: "sessionKey" } },
  execute: async (args, context) => {
    const target = await targetOf(args.sessionKey, context);
    if (args.model !== undefined) await setModel(args.model, target, context);
    const session = args.model === undefined ? target : await again(target, context);
    const { store, settings, services, clock } = context;
    const agent = settings.agents.get(session.agentId);
    if (agent === undefined) throw new ToolError(targetTexts.unconfiguredAgent(session.agentId));
    const facts = await statusFacts({ store, settings, session, agent, version: services.version, now: clock.now() });
    const route = routeContext(session, (await store.read(activeRoute, session.key))?.route ?? null);
    const tools = toolsOf(session, context);
    const changes =
      args.changesSince === undefined ? {} : { stateChanges: await changesOf(session, args.changesSince, context) };
    return {
      result: {
        status: "ok",
        card: agentStatusCard(facts),
        details: {
          sessionKey: session.key,
          sessionId: session.sessionId,
          stateVersion: session.stateVersion,
          route,
          ...tools,
        },
        ...changes,
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
  // FC-236: its model was chosen by who spawned it.
  if (session.depth > 0) {
    throw new ToolError(statusTexts.subagent, { status: "forbidden" });
  }
  const { rights } = context.turn.source;
  // The same decision as `/model`: who may not type it may not have the agent do it either.
  if ((rights.group !== null || isGroupChat(target)) && !roleAtLeast(rights.role, "admin")) {
    throw new ToolError(statusTexts.adminsOnly, {
      status: "forbidden",
      hint: statusTexts.adminsOnlyHint,
    });
  }
  const value = written === "default" ? null : modelRefText(knownModel(settings, written));
  await store.step(setSessionSetting, { key: target.key, setting: { name: "model", value } });
}

function isGroupChat({ key }: Session): boolean {
  const kind = parseSessionKey(key)?.kind;
  return kind === "group" || kind === "channel";
}

async function changesOf(session: Session, after: number, { store, timeText }: ToolContext): Promise<JsonObject> {
  const { key: sessionKey, stateVersion } = session;
  const { events, historyGap } = await store.read(stateChanges, { sessionKey, after, stateVersion });
  const rows = events.map(({ sequence, kind, actorType, actor, runId, at, summary, payload }) => ({
    sequence,
    kind,
    actorType,
    actor,
    runId,
    at: timeText(at),
    summary,
    payload,
  }));
  const kept = fittingEvents(rows);
  const last = kept.at(-1)?.sequence ?? stateVersion;
  const more = last < stateVersion ? { hasMore: true, nextChangesSince: last } : { hasMore: false };
  return { events: kept, historyGap, ...more };
}

/** As many whole events as fit, oldest first and the first always (FC-422). */
function fittingEvents<E extends { readonly payload: JsonObject }>(events: readonly E[]): readonly E[] {
  let bytes = 0;
  const kept: E[] = [];
  for (const event of events) {
    bytes += utf8Length(JSON.stringify(event)) + 1;
    if (bytes > MAX_CHANGES_BYTES && kept.length > 0) break;
    kept.push(bytes > MAX_CHANGES_BYTES ? { ...event, payload: {} } : event);
  }
  return kept;
}

/** Of the calling session only: others have other rights. */
function toolsOf(session: Session, context: ToolContext): OwnTools | Record<string, never> {
  return session.key === context.session.key ? context.services.ownTools(session) : {};
}
