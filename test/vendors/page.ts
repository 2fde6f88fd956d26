import type { LearntQuirks } from "../../src/core/quirks.ts";
import { leftOutForModel } from "../../src/core/texts/agent/wire.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { VENDORS, type Vendor } from "./vendors.ts";

export interface Cell {
  readonly vendor: Vendor;
  readonly conversation: string;
  /** What was left out after a refusal; null: the first request was answered. */
  readonly learnt: LearntQuirks | null;
  readonly failure: string | null;
}

/** The matrix as a page of the documentation. */
export function matrixPage(cells: readonly Cell[]): string {
  const notes: string[] = [];
  const noteOf = (text: string): string => {
    if (!notes.includes(text)) notes.push(text);
    return String(notes.indexOf(text) + 1);
  };
  const cellOf = (vendor: Vendor, conversation: string): string => {
    const cell = cells.find((one) => one.vendor === vendor && one.conversation === conversation);
    if (cell === undefined || cell.failure !== null) return `refused: ${cell?.failure ?? "not played"}`;
    return cell.learnt === null ? "✓" : `✓ ${noteOf(leftOutForModel(cell.learnt))}`;
  };
  const rows = CONVERSATIONS.map(
    ({ name }) => `| ${name} | ${VENDORS.map((vendor) => cellOf(vendor, name)).join(" | ")} |`,
  );
  return [
    "# Which model servers work?",
    "",
    "Written by `npm run generate`. Do not edit.",
    "",
    "Each column is a local server with one vendor's documented strictness and habits, not the vendor itself. Each cell is a conversation",
    "that a test plays against it. ✓: the first request of each step was answered. ✓ with a number: a request was refused, and",
    "Switchyard sent it again without what the number names.",
    "",
    `| Conversation | ${VENDORS.map(({ name }) => name).join(" | ")} |`,
    `|---|${VENDORS.map(() => "---").join("|")}|`,
    ...rows,
    "",
    "What is left out after a refusal:",
    "",
    ...notes.map((note, at) => `${at + 1}. ${note}`),
    "",
    "## Where do the rules come from?",
    "",
    "| Server | Type | Source |",
    "|---|---|---|",
    ...VENDORS.map(({ name, type, source }) => `| ${name} | \`${type}\` | ${source} |`),
    "",
  ].join("\n");
}
