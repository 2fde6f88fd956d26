import { AGAIN, type Failure, OTHER_FAILURES, TURN_FAILURES } from "../../src/core/texts/chat/failures.ts";
import { row } from "./table.ts";

const BEGIN = "<!-- Written by `npm run generate`. -->";
const END = "<!-- End of the written part. -->";

/** What people read of each failure, and whether trying again helps (FC-334). */
export function failuresTable(): string {
  const failures: readonly Failure[] = [...Object.values(TURN_FAILURES), ...Object.values(OTHER_FAILURES)];
  return [
    row(["What happened", "What people read", "Does trying again help?", "What the owner can do"]),
    row(["---", "---", "---", "---"]),
    ...failures.map(({ cause, person, again, owner }) => row([cause, person ?? "nothing", AGAIN[again], owner])),
  ].join("\n");
}

/** The page with its table as the texts are now. Throws when the page has no place for it. */
export function withFailures(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the page needs a line ${BEGIN} and a line ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${failuresTable()}\n\n${page.slice(to)}`;
}
