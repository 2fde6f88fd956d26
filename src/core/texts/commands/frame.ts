import type { Role } from "../../session/rights.ts";
import { asTyped } from "../../text/plain-text.ts";

/** What every command may say: who can use it, how it is written, and what went wrong. */
export const commandTexts = {
  unknown: (name: string, close: readonly string[]): string =>
    close.length === 0
      ? `There is no command "${asTyped(name)}". Type "help" for a list.`
      : `There is no command "${asTyped(name)}". Did you mean ${close.join(" or ")}?`,
  mistyped: (name: string, close: readonly string[]): string =>
    `There is no command /${asTyped(name)}. Did you mean ${close.map((one) => `/${one}`).join(" or ")}? To send this to the agent, write it without the slash.`,
  notAllowed: "You cannot use commands here (see commands.allowFrom).",
  onlyFor: (role: Exclude<Role, "user">, name: string): string => `Only ${role}s can use /${name}.`,
  failed: (name: string): string => `/${name} failed. The log has the details.`,
  answerLost: (name: string): string => `/${name} ran, but its reply could not be shown. The log has the details.`,
  missing: (argument: string, usage: string): string => `Missing: ${argument}. ${usage}`,
  oneOf: (argument: string, choices: readonly string[]): string => `${argument} must be one of: ${choices.join(", ")}.`,
  unexpected: (text: string, usage: string): string => `Unexpected argument: "${asTyped(text)}". ${usage}`,
  invalid: (argument: string, problem: string, usage: string): string => `${argument}: ${problem}. ${usage}`,
  argument: "argument",
  notUnderstood: "not understood",
  usage: (form: string): string => `Usage: /${form}`,
};

export const helpTexts = {
  summary: "Show what you can do here",
  command: "a command's name",
  commandsSummary: "List all commands, one page at a time",
  page: "the page number",
  notFound: (name: string): string =>
    `There is no command "${asTyped(name)}" that you can use here. Type "help" for a list.`,
  pages: (count: number): string => `There are ${count} pages.`,
  pageOf: (page: number, pages: number): string => `Page ${page} of ${pages}.`,
  intro: "Send a message to talk to the agent. Commands:",
  more: "Type `/help <command>` for details, or `/commands` for all summaries.",
  also: (aliases: readonly string[]): string => `Also: ${aliases.join(", ")}`,
  groups: {
    conversation: "Conversation",
    session: "Session",
    model: "Model",
    "sub-agents": "Sub-agents",
    administration: "Administration",
  },
} as const;
