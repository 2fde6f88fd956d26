import { cutText } from "../core/text/cut.ts";
import type { StatusFacts } from "./status-facts.ts";

/** The status card of a session as short Markdown, the same for people (`/status`) and for agents (`session_status`, ST-30). Pure. */
export function statusCard(facts: StatusFacts): string {
  const { agent, runtime, tokens, queue } = facts;
  const name = facts.displayName === null ? "" : `${facts.displayName}, `;
  const lines: readonly (readonly [string, string])[] = [
    ["Session", `${name}\`${facts.sessionKey}\`${flags(facts)}`],
    ["Session id", `\`${facts.sessionId}\``],
    ["Agent", agent.name === agent.id ? agent.id : `${agent.name} (${agent.id})`],
    ["Runtime", `${runtime.name} ${runtime.version}, ${stateText(facts)}`],
    ["Model", `\`${facts.model.ref}\` (${MODEL_WHY[facts.model.why]})`],
    ["Thinking", thinkingText(facts)],
    ["Tokens", `${count(tokens.input)} in, ${count(tokens.output)} out, ${count(tokens.cached)} cached`],
    ["Context", contextText(tokens)],
    ["Compactions", facts.compactions === 0 ? "" : String(facts.compactions)],
    ["Cost", facts.cost === null ? "" : facts.cost.toFixed(4)],
    ["Time", `${localTime(facts.now, facts.timeZone)} ${facts.timeZone}`],
    ["Queue", `${queue.mode}, ${queue.waiting} waiting`],
    ["Sub-agents", `${facts.children} running${background(facts.backgroundRuns)}`],
    ["Goal", goalText(facts)],
    ["State version", String(facts.stateVersion)],
  ];
  return lines
    .filter(([, value]) => value !== "")
    .map(([label, value]) => `- **${label}:** ${value}`)
    .join("\n");
}

const MODEL_WHY: Record<StatusFacts["model"]["why"], string> = {
  override: "set for this session",
  agent: "the agent's",
  default: "the default",
};

const THINKING_WHY: Record<StatusFacts["thinking"]["why"], string> = {
  session: "set for this session",
  agent: "the agent's",
  model: "",
};

function flags({ archived, pinned }: StatusFacts): string {
  return [pinned ? ", pinned" : "", archived ? ", archived" : ""].join("");
}

function stateText({ runtime, now }: StatusFacts): string {
  if (runtime.since === null) return runtime.state;
  return `${runtime.state} for ${Math.max(0, Math.round((now - runtime.since) / 1_000))} s`;
}

function thinkingText({ thinking, showReasoning }: StatusFacts): string {
  const why = THINKING_WHY[thinking.why];
  const level = thinking.level ?? "the model's own";
  return `${level}${why === "" ? "" : ` (${why})`}, reasoning ${showReasoning ? "shown" : "hidden"}`;
}

function contextText({ context, contextWindow }: StatusFacts["tokens"]): string {
  const share = contextWindow === 0 ? 0 : Math.round((100 * context) / contextWindow);
  return `${count(context)} of ${count(contextWindow)} tokens (${share} %)`;
}

function goalText({ goal }: StatusFacts): string {
  return goal === null ? "" : `${cutText(goal.objective.replace(/\s+/g, " "), 160).text} (${goal.state})`;
}

function background(runs: number): string {
  return runs === 0 ? "" : `, ${runs} other ${runs === 1 ? "run" : "runs"} in the background`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function localTime(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(at);
}
