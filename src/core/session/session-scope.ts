import type { AgentId } from "../ids.ts";
import { agentOf, type SessionKey } from "./session-key.ts";

/**
 * Which sessions a session may see (VS-1), as plain data: the store filters with it before limits and counts, and one
 * target is judged by the same fields (VS-2).
 */
export interface SessionScope {
  readonly own: SessionKey;
  /** Everything it spawned, at any depth, also under other agents. */
  readonly lineage: boolean;
  /** All sessions of these agents; `all`: of every agent. */
  readonly agents: readonly AgentId[] | "all";
}

/** The decision for one session whose lineage is known. The store's filter says the same in SQL; a test holds them together. */
export function inScope(
  scope: SessionScope,
  target: { readonly key: SessionKey; readonly isDescendant: boolean },
): boolean {
  if (target.key === scope.own) return true;
  if (scope.lineage && target.isDescendant) return true;
  return scope.agents === "all" || scope.agents.includes(agentOf(target.key));
}
