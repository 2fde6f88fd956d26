import { lastText, lastToolResults } from "./request-check.ts";
import { answer, call, delay, type ReplyFunction, say, text } from "./script.ts";

/**
 * Scripts that need no test code beside them, for a model in its own process:
 * `echo` answers `echo: <last user message>` in one delta; `words` the same, one delta per word;
 * `tool` calls `session_status` once and then answers `done: <status>`.
 * `delayMs` passes before the first delta (`words`: before each).
 */
export function builtInScript(name: string, delayMs: number): ReplyFunction {
  const pause = delayMs > 0 ? [delay(delayMs)] : [];
  switch (name) {
    case "echo":
      return (request) => answer(...pause, text(`echo: ${lastText(request, "user")}`));
    case "words":
      return (request) =>
        answer(...`echo: ${lastText(request, "user")}`.split(/(?<= )/).flatMap((word) => [...pause, text(word)]));
    case "tool":
      return (request) => {
        const [result] = lastToolResults(request);
        return result === undefined ? call("session_status", {}) : say(`done: ${JSON.stringify(result.result)}`);
      };
    default:
      throw new Error(`no built-in script "${name}"; there are echo, words, tool`);
  }
}
