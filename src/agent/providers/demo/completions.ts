import type { CompletionInput } from "./input.ts";

/** One sentence that tells a person how a helper ended, with its result. */
export function completionReport(completion: CompletionInput): string {
  const name = `The helper "${completion.label}"`;
  const result = completion.result === "" ? "(no output)" : completion.result;
  switch (completion.status) {
    case "ok":
      return `${name} is done and reports: ${result}`;
    case "timeout":
      return `${name} ran out of time: ${result}`;
    case "killed":
      return `${name} was stopped: ${result}`;
    default:
      return `${name} ended with status ${completion.status}: ${result}`;
  }
}
