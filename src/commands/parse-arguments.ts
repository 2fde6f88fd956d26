import { commandTexts } from "../core/texts/commands/frame.ts";
import type { CommandArgument, CommandDefinition } from "./command.ts";

export type ParsedArguments =
  /** `words`: what stands behind a command that takes no arguments. They are for the agent, after the command (FC-211). */
  | { readonly ok: true; readonly args: unknown; readonly words: string }
  /** One short line that says what is wrong and how the command is used. */
  | { readonly ok: false; readonly problem: string };

/** Words in order; quotes keep words together; a `rest` argument takes what is left exactly as it stands (CM-1). */
export function parseArguments(command: CommandDefinition, text: string): ParsedArguments {
  const values: Record<string, string> = {};
  let left = text.trim();
  for (const argument of command.arguments) {
    if (left === "") break;
    if (argument.rest === true) {
      values[argument.name] = left;
      left = "";
      break;
    }
    const [word, after] = takeWord(left);
    values[argument.name] = word;
    left = after;
  }
  const missing = command.arguments.find(
    (argument) => argument.required === true && values[argument.name] === undefined,
  );
  if (missing !== undefined) return { ok: false, problem: commandTexts.missing(missing.name, usage(command)) };
  const odd = command.arguments.find((argument) => !isChoice(argument, values[argument.name]));
  if (odd !== undefined) return { ok: false, problem: commandTexts.oneOf(odd.name, odd.choices ?? []) };
  const words = command.arguments.length === 0 ? left : "";
  if (left !== words) return { ok: false, problem: commandTexts.unexpected(left.slice(0, 40), usage(command)) };
  const parsed = command.input.safeParse(values);
  if (parsed.success) return { ok: true, args: parsed.data, words };
  const [issue] = parsed.error.issues;
  return {
    ok: false,
    problem: commandTexts.invalid(
      issue?.path.join(".") ?? commandTexts.argument,
      issue?.message ?? commandTexts.notUnderstood,
      usage(command),
    ),
  };
}

/** Straight quotes, and the typographic ones that phones and word processors make of them. */
const QUOTED = /^(?:["“”„]([^"“”„]*)["“”]|«([^»]*)»|‘([^’]*)’)\s*/;

/** The first word, or the words that quotes keep together, and what stands behind them. */
export function takeWord(text: string): readonly [string, string] {
  const quoted = QUOTED.exec(text);
  const word = quoted ?? /^(\S+)\s*/.exec(text);
  return word === null
    ? [text, ""]
    : [word.slice(1).find((part) => part !== undefined) ?? "", text.slice(word[0].length)];
}

function isChoice({ choices }: CommandArgument, value: string | undefined): boolean {
  return choices === undefined || value === undefined || choices.includes(value);
}

/** `Usage: /model [ref]`. */
export function usage({ name, arguments: all }: CommandDefinition): string {
  const shown = all.map((argument) => (argument.required === true ? `<${argument.name}>` : `[${argument.name}]`));
  return commandTexts.usage([name, ...shown].join(" "));
}
