import type { Json } from "../../src/core/json.ts";
import { agentOfKey } from "./policy.ts";
import type { Random } from "./random.ts";

/** What a session knows to talk about when its model chooses a call. */
export interface Surroundings {
  readonly own: string;
  /** Sessions that were heard of anywhere, its own and foreign ones. */
  readonly sessions: readonly string[];
  /** The children its transcript names, oldest first. */
  readonly children: readonly string[];
}

export interface Choice {
  readonly tool: string;
  readonly args: Json;
}

type Maker = (random: Random, around: Surroundings) => Json;

const SEND_SECONDS = [0, 0.05, 0.4, 1.5];

/** How often each tool is chosen among those a turn has, and with what. */
const TOOLS: Readonly<Record<string, { readonly weight: number; readonly args: Maker }>> = {
  sessions_spawn: { weight: 6, args: spawn },
  sessions_send: { weight: 5, args: send },
  sessions_yield: { weight: 3, args: (random) => ({ wait: random.chance(0.5) ? "all" : "each", message: "go on" }) },
  subagents: { weight: 5, args: control },
  sessions_list: { weight: 2, args: list },
  sessions_history: { weight: 2, args: history },
  sessions_search: {
    weight: 1,
    args: (random) => ({ query: random.pick(["work", "m1*", '"go on"', "answer"]) ?? "work" }),
  },
  session_status: { weight: 1, args: (random, around) => ({ sessionKey: target(random, around), changesSince: 0 }) },
  agents_list: { weight: 1, args: () => ({}) },
};

/** These need a child to be about something. */
const FOR_PARENTS: readonly string[] = ["sessions_yield", "subagents"];

/** One call of a tool that is offered; now and then of one that is not, which must be refused (TP-3). */
export function chooseCall(random: Random, around: Surroundings, offered: readonly string[]): Choice {
  const known = Object.entries(TOOLS).filter(([name]) => offered.includes(name) || random.chance(0.03));
  const weightOf = (tool: string, weight: number): number =>
    FOR_PARENTS.includes(tool) && around.children.length === 0 ? weight / 10 : weight;
  let left = random.next() * known.reduce((sum, [tool, { weight }]) => sum + weightOf(tool, weight), 0);
  for (const [tool, { weight, args }] of known) {
    left -= weightOf(tool, weight);
    if (left < 0) return { tool, args: args(random, around) };
  }
  return { tool: "session_status", args: {} };
}

/** Anything that can stand for a session: near, far, hidden, not there at all. */
function target(random: Random, { own, sessions, children }: Surroundings): string {
  const kind = random.below(10);
  if (kind < 2) return random.pick(children) ?? own;
  if (kind < 7) return random.pick(sessions.filter((key) => agentOfKey(key) === agentOfKey(own) && key !== own)) ?? own;
  if (kind < 9) return random.pick(sessions) ?? own;
  return random.pick(["current", "main", "parent", own, "agent:kin:telegram:direct:1"]) ?? own;
}

function spawn(random: Random): Json {
  const kind = random.below(12);
  return {
    task: `work on ${random.below(1_000)}`,
    label: `sub-agent ${random.below(40)}`,
    ...(random.chance(0.3) ? { taskName: `t${random.below(20)}` } : {}),
    ...(random.chance(0.25) ? { agentId: random.pick(["own", "tree", "kin", "wide", "open"]) ?? "own" } : {}),
    ...(random.chance(0.2) ? { context: "fork" } : {}),
    ...(random.chance(0.15) ? { cleanup: "delete" } : {}),
    ...(random.chance(0.15) ? { expectsCompletionMessage: false } : {}),
    ...(random.chance(0.2) ? { completionTarget: "parent" } : {}),
    ...(kind === 0 ? { runTimeoutSeconds: 0.3 } : kind === 1 ? { to: "elsewhere" } : {}),
  };
}

function send(random: Random, around: Surroundings): Json {
  return {
    sessionKey: target(random, around),
    message: `what of ${random.below(1_000)}?`,
    timeoutSeconds: random.pick(SEND_SECONDS) ?? 0,
    ...(random.chance(0.3) ? { watch: random.chance(0.8) } : {}),
  };
}

function control(random: Random, around: Surroundings): Json {
  const whom = random.pick([random.pick(around.children) ?? "last", "last", "1", `t${random.below(20)}`]) ?? "last";
  switch (random.below(5)) {
    case 0:
      return { action: "list" };
    case 1:
      return { action: "log", target: whom };
    case 2:
      return { action: "kill", target: random.chance(0.2) ? "all" : whom };
    default:
      return { action: "steer", target: whom, message: "look there too" };
  }
}

function list(random: Random, around: Surroundings): Json {
  return {
    limit: random.pick([5, 20, 50]) ?? 20,
    ...(random.chance(0.4) ? { includeLastMessage: true, includeDerivedTitles: true } : {}),
    ...(random.chance(0.2) ? { search: "sub-agent" } : {}),
    ...(random.chance(0.2) ? { archived: "all" } : {}),
    ...(random.chance(0.15) ? { spawnedBy: target(random, around) } : {}),
  };
}

function history(random: Random, around: Surroundings): Json {
  return { sessionKey: target(random, around), limit: 10, includeTools: random.chance(0.5) };
}
