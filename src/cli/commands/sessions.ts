import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { EXPORT_FORMATS, type ExportFormat } from "../../sessions/export.ts";
import { positiveNumber } from "../arguments.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, Invocation } from "../invocation.ts";
import { ago, table } from "../output.ts";

/** `switchyard sessions [search]`: all sessions, the most recently used first (OP-5). */
export function addSessions(program: Command, deps: CliDeps): void {
  program
    .command("sessions")
    .argument("[search]", "only sessions whose key, label or name holds this")
    .addOption(new Option("--limit <count>", "at most this many").default(50).argParser(positiveNumber))
    .description("list sessions, the most recently used first")
    .action(async (search: string | undefined, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.sessions({ search: search ?? null, limit: options.limit }));
      call.print(found, (sessions) => {
        if (sessions.length === 0)
          return search === undefined ? "There are no sessions yet." : `No session matches "${search}".`;
        const now = deps.clock.now();
        const rows = sessions.map((session) => [
          session.key,
          session.status,
          ago(session.updatedAt, now),
          String(session.inputTokens + session.outputTokens),
          session.displayName ?? session.label ?? session.title ?? "",
        ]);
        return table(["session", "state", "used", "tokens", "name"], rows);
      });
    });
}

/** `switchyard history <session>`: the newest messages of a session, secrets masked (OP-5). */
export function addHistory(program: Command, deps: CliDeps): void {
  program
    .command("history")
    .argument("<session>", "a session key or session id, as `switchyard sessions` shows it, or main")
    .addOption(new Option("--limit <count>", "at most this many messages").default(50).argParser(positiveNumber))
    .description("print the newest messages of a session")
    .action(async (session: string, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const report = await call.look((reads) => reads.history({ session, limit: options.limit }));
      if (!report.found) throw unknownSession(session, report.close);
      call.print(report, ({ key, messages }) => {
        if (messages.length === 0) return `${key} has no messages yet.`;
        const blocks = messages.map(({ at, from, text }) => `${new Date(at).toISOString()}  ${from}\n${indent(text)}`);
        return [key, ...blocks].join("\n\n");
      });
    });
}

export function unknownSession(session: string, close: readonly string[]): CliFailure {
  return new CliFailure(
    `there is no session "${session}"`,
    close.length > 0 ? `Did you mean ${close.join(" or ")}?` : "`switchyard sessions` lists them.",
  );
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
    .argument("<session>", "a session key or session id, as `switchyard sessions` shows it, or main")
    .addOption(new Option("--format <format>", "the file's form").choices([...EXPORT_FORMATS]).default("md"))
    .option("--raw", "the stored rows verbatim, with secrets unmasked, as JSON lines")
    .option("--out <file>", "where to; default: print it")
    .description("a session's whole transcript, with secrets masked")
    .action(async (session: string, options: Options, command: Command) => {
      const call = new Invocation(deps, command);
      const target = options.out === undefined ? null : resolve(deps.cwd, options.out);
      if (target !== null && existsSync(target)) {
        throw new CliFailure(`${target} exists already`, "Name another file; an export never overwrites one.");
      }
      const report = await call.look((reads) =>
        reads.export({ session, format: options.format, raw: options.raw === true }),
      );
      if (!report.found) throw unknownSession(session, report.close);
      if (target === null) return call.print(report, ({ text }) => text.trimEnd());
      await writeFile(target, report.text, { mode: 0o600, flag: "wx" });
      call.print({ file: target, messages: report.messages }, ({ messages }) => `${messages} messages in ${target}.`);
    });
}

/** `switchyard send <session> <text>`: the operator's words to a session (OP-5, TN-15). */
export function addSend(program: Command, deps: CliDeps): void {
  program
    .command("send")
    .argument("<session>", "a session key or session id, or main")
    .argument("<text...>", "what to say, in quotes or without")
    .description("say something to a session; the answer goes to where its people last wrote")
    .action(async (session: string, words: readonly string[], _options, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const report = await control.send({ session, text: words.join(" "), id: randomUUID() });
      if (!report.accepted) throw unknownSession(session, report.close);
      call.print(report, ({ key, route }) => {
        if (route === null)
          return `Accepted. ${key} has no conversation outside; read the answer with: switchyard history ${key}`;
        const thread = route.threadId === null ? "" : `, thread ${route.threadId}`;
        return `Accepted. The answer of ${key} goes to ${route.channel}/${route.accountId}, ${route.to}${thread}.`;
      });
    });
}
