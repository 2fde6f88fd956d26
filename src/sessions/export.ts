import type { TranscriptMessage } from "../core/message/transcript.ts";
import type { Session } from "../core/session/session.ts";
import { createRedactor, type Redacted } from "../core/text/redact.ts";
import { messagesAfter } from "../store/reads/sessions/history.ts";
import type { Store } from "../store/store.ts";
import { exportHtml, exportJsonl, exportMarkdown } from "./export-formats.ts";
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
    text: textOf(format, head, messages),
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

function textOf(format: ExportFormat, head: ExportHead, messages: readonly ExportedMessage[]): string {
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
