import { ToolError } from "../core/errors.ts";
import type { AgentId } from "../core/ids.ts";
import type { Session } from "../core/session/session.ts";
import { inScope, mainSessionKey, type SessionKey, type SessionScope } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import { targetTexts } from "../core/texts/agent/tool-calls.ts";
import {
  type TargetSession,
  visibleByLabel,
  visibleKeyByCase,
  visibleTarget,
} from "../store/reads/sessions/targets.ts";
import { ensureMain } from "../store/steps/sessions/ensure-main.ts";
import type { Store } from "../store/store.ts";
import { scopeOf, widerHint } from "./visibility.ts";

/** How a session is named in a tool or command; the first that is given counts: key, then label, then agent (FC-167). */
export interface TargetReference {
  /** A key, a session id, a former key, or `main`, `current`, `parent`. */
  readonly sessionKey?: string | undefined;
  readonly label?: string | undefined;
  /** With a label: only this agent's sessions; alone: this agent's main session. */
  readonly agentId?: AgentId | undefined;
}

export interface ResolveContext {
  readonly store: Store;
  readonly settings: Settings;
  /** Who asks. */
  readonly session: Session;
  /** Narrower than what the settings say, when a tool reaches less far. */
  readonly scope?: SessionScope;
}

const RESERVED: readonly string[] = ["global", "unknown", "last", "all"];
const CANDIDATES = 6;

/**
 * The one resolver of every `sessionKey` parameter (SK-3, SK-6, VS-2): resolves, then authorises. Throws ToolError: hidden
 * and missing sessions read the same. null: nothing was named.
 */
export async function resolveTarget(
  reference: TargetReference,
  context: ResolveContext,
): Promise<TargetSession | null> {
  const key = reference.sessionKey?.trim() ?? "";
  const label = reference.label?.trim() ?? "";
  const agentId = reference.agentId?.trim() || null;
  if (key !== "") return byKey(key, context);
  if (label !== "") return byLabel(label, agentId, context);
  return agentId === null ? null : mainOf(agentId, context);
}

async function byKey(written: string, context: ResolveContext): Promise<TargetSession> {
  const { session, store } = context;
  const word = written.toLowerCase();
  if (RESERVED.includes(word)) {
    throw new ToolError(targetTexts.reserved(written), { hint: targetTexts.reservedHint });
  }
  if (word === "current") return { session, sessionId: session.sessionId };
  if (word === "main") return mainOf(session.agentId, context);
  if (word === "parent" && session.spawnedBy === null) {
    throw new ToolError(targetTexts.noParent);
  }
  const wanted = word === "parent" ? (session.spawnedBy ?? written) : written;
  const scope = scopeFor(context);
  const found = await store.read(visibleTarget, { scope, reference: wanted });
  if (found !== null) return found;
  const mainAgent = [...context.settings.agents.keys()].find((agentId) => mainSessionKey(agentId) === wanted);
  if (mainAgent !== undefined) return mainOf(mainAgent, context);
  const real = await store.read(visibleKeyByCase, { scope, reference: wanted });
  if (real !== null) throw new ToolError(targetTexts.caseDiffers(wanted, real));
  throw hidden(wanted, context);
}

async function byLabel(label: string, agentId: AgentId | null, context: ResolveContext): Promise<TargetSession> {
  const found = await context.store.read(visibleByLabel, {
    scope: scopeFor(context),
    label,
    agentId,
    limit: CANDIDATES,
  });
  const active = found.filter((session) => session.archivedAt === null);
  const [first, second] = active.length > 0 ? active : found;
  if (first === undefined) throw hidden(label, context);
  if (second !== undefined) {
    const keys = (active.length > 0 ? active : found).map((session) => session.key);
    throw new ToolError(targetTexts.ambiguous(label, keys), { hint: targetTexts.useKey });
  }
  return { session: first, sessionId: first.sessionId };
}

/** An agent's main session exists without having been used; it is created when a session that may see it first names it. */
async function mainOf(agentId: AgentId, context: ResolveContext): Promise<TargetSession> {
  if (!context.settings.agents.has(agentId)) throw hidden(`agent:${agentId}:main`, context);
  const key = mainSessionKey(agentId);
  const scope = scopeFor(context);
  const found = await context.store.read(visibleTarget, { scope, reference: key });
  if (found !== null) return found;
  if (!inScope(scope, { key, isDescendant: false })) throw hidden(key, context);
  const session = await context.store.step(ensureMain, agentId);
  return { session, sessionId: session.sessionId };
}

function scopeFor({ scope, settings, session }: ResolveContext): SessionScope {
  return scope ?? scopeOf(settings, session);
}

/** The same words for a session that is hidden and for one that does not exist (VS-2, FC-166). */
export function hidden(
  reference: string,
  { settings, session }: Pick<ResolveContext, "settings" | "session">,
): ToolError {
  return new ToolError(targetTexts.hidden(reference), {
    status: "forbidden",
    hint: targetTexts.hiddenHint(widerHint(settings, session)),
  });
}

/** The key of a thread-scoped session's parent as an error may name it: only when the asker can see it (ST-22). */
export async function visibleParentKey(parent: SessionKey, context: ResolveContext): Promise<SessionKey | null> {
  const found = await context.store.read(visibleTarget, { scope: scopeFor(context), reference: parent });
  return found?.session.key ?? null;
}
