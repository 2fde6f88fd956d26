import type { Run } from "../../core/session/run.ts";
import { cutText } from "../../core/text/cut.ts";
import { asTyped } from "../../core/text/plain-text.ts";
import { nameInChat, visibleLine } from "../../core/text/visible.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import type { MessageView } from "../../sessions/history-view.ts";
import type { ListedRun } from "../../subagents/control.ts";

const texts = agentTexts.card;
const LONGEST_NAME = 48;
const LONGEST_LINE = 280;

/** {@link runTitle} as a chat shows it: whoever chose it, it formats and hides nothing (FC-408). */
export function runName(run: Pick<Run, "label" | "taskName" | "task">): string {
  return nameInChat(runTitle(run));
}

/** How people know a run: its label, its task name, or how its task begins. */
export function runTitle(run: Pick<Run, "label" | "taskName" | "task">): string {
  return run.label ?? run.taskName ?? cutText(run.task.replace(/\s+/g, " ").trim(), LONGEST_NAME).text;
}

export function runState(run: Pick<Run, "outcome" | "state">): string {
  return run.outcome ?? run.state;
}

/** The list of a session's runs; the numbers are the targets of the other actions (SB-1). */
export function runList(listed: readonly ListedRun[], now: number): string {
  return listed.map((one) => `${one.index}. ${runLine(one, now)}`).join("\n");
}

function runLine({ run, pendingChildren }: ListedRun, now: number): string {
  const tokens = run.inputTokens + run.outputTokens;
  const facts = [
    runState(run),
    runtime(run, now),
    tokens === 0 ? "" : texts.tokens(tokens.toLocaleString("en-US")),
    `\`${run.model}\``,
    run.depth > 1 ? texts.depth(run.depth) : "",
    pendingChildren === 0 ? "" : texts.waitsFor(pendingChildren),
  ];
  return `**${runName(run)}**: ${facts.filter((fact) => fact !== "").join(", ")}`;
}

/** Everything a person may ask of one run. */
export function runCard({ run, pendingChildren }: Omit<ListedRun, "index">, now: number): string {
  const lines: readonly (readonly [string, string | null])[] = [
    [texts.labels.name, runName(run)],
    [texts.labels.state, `${runState(run)}, ${runtime(run, now)}`],
    [texts.labels.task, asTyped(visibleLine(cutText(run.task.replace(/\s+/g, " ").trim(), LONGEST_LINE).text))],
    [texts.labels.model, `\`${run.model}\``],
    [
      texts.labels.tokens,
      texts.inAndOut(run.inputTokens.toLocaleString("en-US"), run.outputTokens.toLocaleString("en-US")),
    ],
    [texts.labels.children, pendingChildren === 0 ? null : String(pendingChildren)],
    [texts.labels.error, run.error === null ? null : asTyped(visibleLine(run.error))],
    [texts.labels.run, `\`${run.id}\``],
    [texts.labels.session, `\`${run.sessionKey}\``],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [`- **${label}:** ${value}`])).join("\n");
}

/** What a sub-agent read and said, one line each, oldest first; its tools by name. */
export function runLog(messages: readonly MessageView[]): string {
  return messages.flatMap(logLines).join("\n");
}

function logLines({ role, provenance, text, toolCalls = [], toolResults = [] }: MessageView): readonly string[] {
  const who = role === "assistant" ? "says" : role === "tool" ? "tool" : provenance.replaceAll("_", "-");
  const said = text.trim() === "" ? [] : [`- **${who}** ${oneLine(text)}`];
  const calls = toolCalls.map(({ name, args }) => `- **calls** \`${name}\` ${oneLine(args)}`);
  const results = toolResults.map(({ name, result }) => `- **got** \`${name}\` ${oneLine(result)}`);
  return [...said, ...calls, ...results];
}

function oneLine(text: string): string {
  return cutText(text.replace(/\s+/g, " ").trim(), LONGEST_LINE).text;
}

function runtime(run: Run, now: number): string {
  const seconds = Math.max(0, Math.round(((run.endedAt ?? now) - (run.startedAt ?? run.createdAt)) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
