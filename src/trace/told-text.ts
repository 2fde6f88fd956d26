import { visibleLine } from "../core/text/visible.ts";
import { type Told, timeText } from "./delivery-text.ts";

/** What is told of one message, for a terminal: its headline, facts in aligned columns, then what happened when. */
export function toldText({ title, facts, history }: Told): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${visibleLine(value)}`);
  const events = history.map(([at, what]) => `    ${timeText(at)}  ${visibleLine(what)}`);
  return [visibleLine(title), ...lines, ...(events.length === 0 ? [] : ["  history (UTC)", ...events])].join("\n");
}
