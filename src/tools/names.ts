import type { ToolProfile } from "../core/settings.ts";
import type { ToolGroup } from "./tool.ts";

/** What the policy knows of a tool without its definition, so that tools may ask the policy about themselves (TP-3). */
export interface ToolFacts {
  readonly name: string;
  readonly group: ToolGroup;
  /** Offered only when an owner is behind the turn (ST-40). */
  readonly ownerOnly: boolean;
}

/** Every tool the product has, in the order people see them; a test holds it equal to the registry. */
export const TOOLS: readonly ToolFacts[] = [
  { name: "session_status", group: "sessions", ownerOnly: false },
  { name: "sessions_list", group: "sessions", ownerOnly: false },
  { name: "sessions_history", group: "sessions", ownerOnly: false },
  { name: "sessions_search", group: "sessions", ownerOnly: false },
  { name: "sessions_send", group: "sessions", ownerOnly: false },
  { name: "sessions_spawn", group: "sessions", ownerOnly: false },
  { name: "sessions_yield", group: "sessions", ownerOnly: false },
  { name: "subagents", group: "sessions", ownerOnly: false },
  { name: "agents_list", group: "sessions", ownerOnly: false },
  { name: "message", group: "messaging", ownerOnly: true },
  { name: "get_goal", group: "sessions", ownerOnly: false },
  { name: "create_goal", group: "sessions", ownerOnly: false },
  { name: "update_goal", group: "sessions", ownerOnly: false },
];

/** For the warning about unknown names in a policy (TP-2). */
export const TOOL_NAMES: readonly string[] = TOOLS.map((tool) => tool.name);

const MESSAGING: readonly string[] = [
  "sessions_list",
  "sessions_history",
  "sessions_search",
  "sessions_send",
  "session_status",
];

/** TP-1. Names of tools that do not exist yet stand here already: a profile says what it means. */
export const PROFILES: Readonly<Record<ToolProfile, readonly string[]>> = {
  minimal: ["session_status"],
  messaging: [...MESSAGING, "message"],
  coding: [
    ...MESSAGING,
    "sessions_spawn",
    "sessions_yield",
    "subagents",
    "agents_list",
    "get_goal",
    "create_goal",
    "update_goal",
    "group:fs",
    "group:runtime",
  ],
  full: ["*"],
};
