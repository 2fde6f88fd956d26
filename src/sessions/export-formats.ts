import { escapeHtml } from "../core/text/entities.ts";
import type { ExportedMessage, ExportHead } from "./export.ts";

/** Every line a message in JSON; the first one says what it is. */
export function exportJsonl(head: ExportHead, messages: readonly ExportedMessage[]): string {
  return `${[head, ...messages].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Messages stand in quotes, so that none of them can pass itself off as another's heading. */
export function exportMarkdown(head: ExportHead, messages: readonly ExportedMessage[]): string {
  const blocks = messages.map((message) => {
    const tools = toolLines(message).map((line) => quoted(fenced(line)));
    const text = message.text === "" ? [] : [quoted(message.text)];
    return [`## ${oneLine(message.from)}, ${time(message)}`, ...text, ...tools].join("\n\n");
  });
  const facts = `Session \`${head.session}\`, id ${head.sessionId}, agent ${head.agentId}, exported ${head.exportedAt}`;
  return `${[`# ${oneLine(head.name ?? "Transcript")}`, facts, ...blocks].join("\n\n")}\n`;
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/([\\`*_[\]<>#])/g, "\\$1");
}
