import { commandTexts } from "../core/texts/commands/frame.ts";
import type { CommandArgument, CommandDefinition } from "./command.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly args: unknown }
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
  if (left !== "") return { ok: false, problem: commandTexts.unexpected(left.slice(0, 40), usage(command)) };
  const parsed = command.input.safeParse(values);
  if (parsed.success) return { ok: true, args: parsed.data };
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

function takeWord(text: string): readonly [string, string] {
  const quoted = /^"([^"]*)"\s*/.exec(text) ?? /^(\S+)\s*/.exec(text);
  return quoted === null ? [text, ""] : [quoted[1] ?? "", text.slice(quoted[0].length)];
}

function isChoice({ choices }: CommandArgument, value: string | undefined): boolean {
  return choices === undefined || value === undefined || choices.includes(value);
}

/** `Usage: /model [ref]`. */
export function usage({ name, arguments: all }: CommandDefinition): string {
  const shown = all.map((argument) => (argument.required === true ? `<${argument.name}>` : `[${argument.name}]`));
  return commandTexts.usage([name, ...shown].join(" "));
}
