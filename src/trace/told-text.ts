import { type Told, timeText } from "./delivery-text.ts";

/** What is told of one message, for a terminal: its headline, facts in aligned columns, then what happened when. */
export function toldText({ title, facts, history }: Told): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const events = history.map(([at, what]) => `    ${timeText(at)}  ${what}`);
  return [title, ...lines, ...(events.length === 0 ? [] : ["  history (UTC)", ...events])].join("\n");
}
