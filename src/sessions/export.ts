import type { TranscriptMessage } from "../core/message/transcript.ts";
import type { Session } from "../core/session/session.ts";
import { escapeHtml } from "../core/text/plain-text.ts";
import { createRedactor, type Redacted } from "../core/text/redact.ts";
import { messagesAfter } from "../store/reads/turns/transcript.ts";
import type { Store } from "../store/store.ts";
import { type MessageView, viewMessage } from "./history-view.ts";

export const EXPORT_FORMATS = ["html", "md", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly includeTools: boolean;
  /** Known secret values, masked with everything that looks like one (ST-7). */
  readonly secrets: readonly string[];
  readonly now: number;
}

/** One message of an export: as history shows it, and who wrote it. */
export interface ExportedMessage extends MessageView {
  readonly from: string;
}

export interface ExportHead {
  readonly session: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly name: string | null;
  readonly exportedAt: string;
}

export interface ExportFile {
  readonly name: string;
  readonly mime: string;
  readonly text: string;
  readonly messages: number;
}

const BATCH = 200;
/** More than any history's block: an export is whole. One message is bounded on its way in already (TN-17). */
const WHOLE = Number.MAX_SAFE_INTEGER;
const MIMES: Record<ExportFormat, string> = {
  html: "text/html",
  md: "text/markdown",
  jsonl: "application/x-ndjson",
};

/** A life's transcript as a file: sanitised and redacted as history is (ST-6, ST-7), whole, with attachments named. */
export async function exportTranscript(
  store: Pick<Store, "read">,
  of: { readonly session: Session; readonly sessionId: string },
  options: ExportOptions,
): Promise<ExportFile> {
  const { session, sessionId } = of;
  const redact = createRedactor(options.secrets);
  const rows = await everyMessage(store, sessionId, options.includeTools);
  const messages = rows.flatMap((row) => exported(row, options, redact));
  const head: ExportHead = {
    session: session.key,
    sessionId,
    agentId: session.agentId,
    name: session.displayName,
    exportedAt: new Date(options.now).toISOString(),
  };
  const { format } = options;
  return {
    name: `session-${sessionId.slice(0, 8)}.${format}`,
    mime: MIMES[format],
    text: rendered(format, head, messages),
    messages: messages.length,
  };
}

/** The stored rows of a life as they are, one a line (ST-7): for the operator of the machine only. */
export async function rawTranscript(
  store: Pick<Store, "read">,
  sessionId: string,
): Promise<{ readonly text: string; readonly messages: number }> {
  const rows = await everyMessage(store, sessionId, true);
  return { text: rows.map((row) => `${JSON.stringify(row)}\n`).join(""), messages: rows.length };
}

async function everyMessage(
  store: Pick<Store, "read">,
  sessionId: string,
  includeTools: boolean,
): Promise<readonly TranscriptMessage[]> {
  const all: TranscriptMessage[] = [];
  for (let after = 0; ; ) {
    const rows = await store.read(messagesAfter, { sessionId, after, limit: BATCH, includeTools });
    all.push(...rows);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < BATCH) return all;
  }
}

function exported(
  row: TranscriptMessage,
  { includeTools }: ExportOptions,
  redact: (text: string) => Redacted,
): readonly ExportedMessage[] {
  const shown = viewMessage(row, { includeTools, redact, maxBlock: WHOLE });
  return shown === null ? [] : [{ ...shown.view, from: writerOf(row, redact) }];
}

function rendered(format: ExportFormat, head: ExportHead, messages: readonly ExportedMessage[]): string {
  switch (format) {
    case "html":
      return exportHtml(head, messages);
    case "md":
      return exportMarkdown(head, messages);
    case "jsonl":
      return exportJsonl(head, messages);
  }
}

function writerOf({ provenance, role }: TranscriptMessage, redact: (text: string) => Redacted): string {
  switch (provenance.kind) {
    case "human":
      return redact(provenance.senderName).text;
    case "assistant":
      return provenance.agentId;
    case "tool":
      return provenance.tool;
    case "inter_session":
    case "completion":
    case "task":
    case "schedule":
    case "hook":
      return `${provenance.kind} from ${provenance.from}`;
    case "system":
      return role === "assistant" ? "notice" : provenance.source;
  }
}

/** Every line a message in JSON; the first one says what it is. */
export function exportJsonl(head: ExportHead, messages: readonly ExportedMessage[]): string {
  return `${[head, ...messages].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Messages are quoted, so that none can imitate the heading of another. */
export function exportMarkdown(head: ExportHead, messages: readonly ExportedMessage[]): string {
  const blocks = messages.map((message) => {
    const tools = toolLines(message).map((line) => quoted(fenced(line)));
    const text = message.text === "" ? [] : [quoted(message.text)];
    return [`## ${headingText(message.from)}, ${time(message)}`, ...text, ...tools].join("\n\n");
  });
  const facts = `Session \`${head.session}\`, id ${head.sessionId}, agent ${head.agentId}, exported ${head.exportedAt}`;
  return `${[`# ${headingText(head.name ?? "Transcript")}`, facts, ...blocks].join("\n\n")}\n`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
article{border-top:1px solid #ddd;padding:.75rem 0}header{color:#666;font-size:.875rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;margin:.25rem 0}
pre.tool{font:13px/1.4 ui-monospace,monospace;color:#555;background:#f5f5f5;padding:.5rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}article{border-color:#444}header{color:#aaa}pre.tool{color:#bbb;background:#242424}}`;

/** One page without script and without anything from elsewhere; all text is escaped. */
export function exportHtml(head: ExportHead, messages: readonly ExportedMessage[]): string {
  const title = escapeHtml(head.name ?? "Transcript");
  const blocks = messages.map((message) => {
    const text = message.text === "" ? "" : `<pre>${escapeHtml(message.text)}</pre>`;
    const tools = toolLines(message).map((line) => `<pre class="tool">${escapeHtml(line)}</pre>`);
    return `<article><header>${escapeHtml(message.from)}, <time>${time(message)}</time></header>${text}${tools.join("")}</article>`;
  });
  const facts = `Session ${escapeHtml(head.session)}, id ${head.sessionId}, agent ${escapeHtml(head.agentId)}, exported ${head.exportedAt}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1><p>${facts}</p>
${blocks.join("\n")}
</body></html>
`;
}

function toolLines({ toolCalls = [], toolResults = [] }: ExportedMessage): readonly string[] {
  return [
    ...toolCalls.map(({ name, args }) => `calls ${name} ${args}`),
    ...toolResults.map(({ name, result }) => `result of ${name}: ${result}`),
  ];
}

function time({ at }: ExportedMessage): string {
  return new Date(at).toISOString();
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}

/** A fence longer than any run of backticks in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function headingText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/([\\`*_[\]<>#])/g, "\\$1");
}
