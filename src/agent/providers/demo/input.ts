import { type DemoRequest, demoInputText } from "./reply.ts";

/** A completion as it stands in the model's input. */
export interface CompletionInput {
  readonly label: string;
  readonly key: string;
  readonly status: string;
  readonly result: string;
}

/** What the last message is, and the request in it without its envelope. */
export type DemoInput =
  | { readonly kind: "person" | "task" | "session"; readonly text: string }
  | { readonly kind: "reply_back" | "announce" | "notice"; readonly text: string }
  | { readonly kind: "completion"; readonly completions: readonly CompletionInput[] };

const COMPLETION = /^\[Completion of sub-agent "((?:[^"\\]|\\.)*)" \(([^)]*)\): (\w+)\]$/;

/** Reads one input: envelopes in square brackets tell what it is, the rest is what it asks for. */
export function readInput(text: string): DemoInput {
  const completions = readCompletions(text);
  if (completions.length > 0) return { kind: "completion", completions };
  if (/\[Announce\b/i.test(text)) return { kind: "announce", text: withoutEnvelopes(text) };
  if (/\[Reply-back \d+\/\d+/i.test(text)) return { kind: "reply_back", text: withoutEnvelopes(text) };
  if (/\[Inter-session message\b/i.test(text)) return { kind: "session", text: withoutEnvelopes(text) };
  if (/\[Subagent Task\]/i.test(text)) return { kind: "task", text: withoutEnvelopes(text) };
  const words = withoutEnvelopes(text);
  const notice = /^\s*\[System: ([^\]]*)\](?:\n>[^\n]*)*\s*$/.exec(text)?.[1];
  return words === "" && notice !== undefined ? { kind: "notice", text: notice } : { kind: "person", text: words };
}

function readCompletions(text: string): CompletionInput[] {
  const completions: CompletionInput[] = [];
  let result: string[] = [];
  let head: RegExpExecArray | null = null;
  const close = () => {
    if (head === null) return;
    const [, label = "", key = "", status = ""] = head;
    completions.push({ label: label.replace(/\\(.)/g, "$1"), key, status, result: result.join("\n").trim() });
  };
  for (const line of text.split("\n")) {
    const next = COMPLETION.exec(line.trim());
    if (next !== null) {
      close();
      head = next;
      result = [];
    } else if (!/^\[Stats:/.test(line)) result.push(line);
  }
  close();
  return completions;
}

/** Lines that are only an envelope go, envelopes at the start of a line and the quotes below them too; the words of a person stay. */
function withoutEnvelopes(text: string): string {
  const kept: string[] = [];
  let afterEnvelope = false;
  for (const line of text.split("\n")) {
    if (afterEnvelope && line.startsWith("> ")) continue;
    const words = line.replace(/^(?:\s*\[[^\]]*\]:?)+/, "").trim();
    afterEnvelope = words === "";
    if (words !== "") kept.push(words.replaceAll("\\[", "["));
  }
  return kept.join("\n");
}

/** What the demo model says of the files that came with the last messages, or null when there are none. */
export function aboutFiles({ messages }: DemoRequest): string | null {
  const last = messages.slice(messages.findLastIndex((message) => message.role !== "user") + 1);
  const files = last.flatMap((message) =>
    [...demoInputText(message).matchAll(/^\[Attachment (.+)\]$/gm)].map(([, described = ""]) => described),
  );
  if (files.length === 0) return null;
  const kept = files.flatMap((file) => /^(.+), \S+, \d+ bytes(?:[.:] .*)?$/.exec(file)?.[1] ?? []);
  const others = files.filter((file) => !/, \d+ bytes(?:[.:] .*)?$/.test(file));
  const lines = [
    kept.length === 0 ? "" : `I got ${kept.join(" and ")}. A demo model cannot look into files; a real model can.`,
    ...others.map((other) => `I did not get a file: ${other}`),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** One sentence that tells a person how a sub-agent ended, with its result. */
export function completionReport(completion: CompletionInput): string {
  const name = `The sub-agent "${completion.label}"`;
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
