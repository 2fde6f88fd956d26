import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { quotedName, visibleJson, visibleLine } from "../../core/text/visible.ts";
import {
  exported,
  fileExists,
  noMessages,
  noSessions,
  placeOf,
  SESSION_COLUMNS,
  sentNowhere,
  sentTo,
  unknownSession,
} from "../../core/texts/cli/answers.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../sessions/export.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, Invocation, positiveNumber } from "../invocation.ts";
import { ago, table } from "../output.ts";

/** `switchyard sessions [search]`: all sessions, the most recently used first (OP-5). */
export function addSessions(program: Command, deps: CliDeps): void {
  program
    .command("sessions")
    .argument("[search]", HELP.sessionsSearch)
    .addOption(new Option("--limit <count>", HELP.limit).default(50).argParser(positiveNumber))
    .description(HELP.sessions)
    .action(async (search: string | undefined, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.sessions({ search: search ?? null, limit: options.limit }));
      call.print(found, (sessions) => {
        if (sessions.length === 0) return noSessions(search);
        const now = deps.clock.now();
        const rows = sessions.map((session) => [
          session.key,
          session.status,
          ago(session.updatedAt, now),
          String(session.inputTokens + session.outputTokens),
          nameCell(session.displayName ?? session.label ?? session.title),
        ]);
        return table(SESSION_COLUMNS, rows);
      });
    });
}

/** `switchyard history <session>`: the newest messages of a session, secrets masked (OP-5). */
export function addHistory(program: Command, deps: CliDeps): void {
  program
    .command("history")
    .argument("<session>", HELP.session)
    .addOption(new Option("--limit <count>", HELP.limitMessages).default(50).argParser(positiveNumber))
    .description(HELP.history)
    .action(async (session: string, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const report = await call.look((reads) => reads.history({ session, limit: options.limit }));
      if (!report.found) throw new CliFailure(unknownSession(session, report.close));
      call.print(report, ({ key, messages }) => {
        if (messages.length === 0) return noMessages(key);
        const blocks = messages.map(
          ({ at, from, text }) => `${new Date(at).toISOString()}  ${visibleLine(from)}\n${indent(text)}`,
        );
        return [key, ...blocks].join("\n\n");
      });
    });
}

function nameCell(name: string | null | undefined): string {
  return name === null || name === undefined ? "" : quotedName(name);
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}

interface Options {
  readonly format: ExportFormat;
  readonly raw?: true;
  readonly out?: string;
}

/** `switchyard export <session> [--format md|html|jsonl] [--raw] [--out <file>]` (OP-5, ST-7). */
export function addExport(program: Command, deps: CliDeps): void {
  program
    .command("export")
    .argument("<session>", HELP.session)
    .addOption(new Option("--format <format>", HELP.exportFormat).choices([...EXPORT_FORMATS]).default("md"))
    .option("--raw", HELP.exportRaw)
    .option("--out <file>", HELP.exportOut)
    .description(HELP.export)
    .action(async (session: string, options: Options, command: Command) => {
      const call = new Invocation(deps, command);
      const target = options.out === undefined ? null : resolve(deps.cwd, options.out);
      if (target !== null && existsSync(target)) {
        throw new CliFailure(fileExists(target, "export"));
      }
      const report = await call.look((reads) =>
        reads.export({ session, format: options.format, raw: options.raw === true }),
      );
      if (!report.found) throw new CliFailure(unknownSession(session, report.close));
      if (target === null) {
        const isLines = options.raw === true || options.format === "jsonl";
        return call.print(report, ({ text }) => (isLines ? visibleJson(text.trimEnd()) : text.trimEnd()));
      }
      await writeFile(target, report.text, { mode: 0o600, flag: "wx" });
      call.print({ file: target, messages: report.messages }, ({ messages }) => exported(messages, target));
    });
}

/** `switchyard send <session> <text>`: the operator's words to a session (OP-5, TN-15). */
export function addSend(program: Command, deps: CliDeps): void {
  program
    .command("send")
    .argument("<session>", HELP.session)
    .argument("<text...>", HELP.sendText)
    .description(HELP.send)
    .action(async (session: string, words: readonly string[], _options, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const report = await control.send({ session, text: words.join(" "), id: randomUUID() });
      if (!report.accepted) throw new CliFailure(unknownSession(session, report.close));
      call.print(report, ({ key, route }) => (route === null ? sentNowhere(key) : sentTo(key, placeOf(route))));
    });
}
