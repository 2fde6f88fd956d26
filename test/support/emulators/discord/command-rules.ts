import { badRequest, type FieldError, invalidForm } from "./refusal.ts";
import type { CommandBody } from "./routes/handler.ts";
import { isObject } from "./shape-check.ts";

/** Application Commands: 100 slash commands per scope, 8000 characters per command. */
const MAX_COMMANDS = 100;
const MAX_CHARACTERS = 8000;
const CHAT_INPUT = 1;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const SUB_TYPES: readonly number[] = [1, 2];

/** An option as far as its rules need it. */
interface Option {
  type: number;
  name: string;
  description?: string;
  required?: boolean | null;
  autocomplete?: boolean | null;
  choices?: { name: string; value: string | number }[] | null;
  options?: Option[] | null;
}

function badName(path: FieldError["path"]): FieldError {
  return { path, code: "APPLICATION_COMMAND_INVALID_NAME", message: "Command name is invalid" };
}

function isName(name: string): boolean {
  return NAME.test(name) && name === name.toLowerCase();
}

function badDescription(text: string | null | undefined, path: FieldError["path"]): FieldError[] {
  const length = [...(text ?? "")].length;
  if (length >= 1 && length <= 100) return [];
  if (text === undefined) return [{ path, code: "BASE_TYPE_REQUIRED", message: "This field is required" }];
  return [{ path, code: "BASE_TYPE_BAD_LENGTH", message: "Must be between 1 and 100 in length." }];
}

function optionErrors(options: readonly Option[], path: FieldError["path"]): FieldError[] {
  const names = new Set<string>();
  let optional = false;
  return options.flatMap((option, index) => {
    const at = [...path, "options", index];
    const errors: FieldError[] = isName(option.name) ? [] : [badName([...at, "name"])];
    errors.push(...badDescription(option.description, [...at, "description"]));
    if (names.has(option.name)) {
      const code = "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS";
      errors.push({ path: [...at, "name"], code, message: "Option name already exists" });
    }
    names.add(option.name);
    if (option.required === true && optional) {
      const code = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID";
      errors.push({ path: at, code, message: "Required options must be placed before non-required options" });
    }
    optional ||= option.required !== true && !SUB_TYPES.includes(option.type);
    if (option.autocomplete === true && (option.choices ?? []).length > 0) {
      const code = "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_INVALID";
      errors.push({ path: at, code, message: "Options with choices cannot have autocomplete" });
    }
    return [...errors, ...optionErrors(option.options ?? [], at)];
  });
}

/** "Combined of the name, description and value properties": of the command, its options and their choices. */
function characters(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + characters(item), 0);
  if (!isObject(value)) return 0;
  const own = [value.name, value.description, value.value];
  const texts = own.reduce((sum: number, text) => sum + (typeof text === "string" ? [...text].length : 0), 0);
  return texts + characters(value.options) + characters(value.choices);
}

function commandErrors(command: CommandBody, path: FieldError["path"]): FieldError[] {
  if ((command.type ?? CHAT_INPUT) !== CHAT_INPUT) return [];
  // The published type is a union by option type; the rules look at what these have in common.
  const options = (command.options ?? []) as unknown as Option[];
  const errors = [
    ...(isName(command.name) ? [] : [badName([...path, "name"])]),
    ...badDescription(command.description, [...path, "description"]),
    ...optionErrors(options, path),
  ];
  if (characters(command) > MAX_CHARACTERS) {
    const message = `Command exceeds maximum size (${MAX_CHARACTERS})`;
    errors.push({ path, code: "APPLICATION_COMMAND_TOO_LARGE", message });
  }
  return errors;
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidForm(...errors);
}

/** The rules of one command. */
export function checkCommand(command: CommandBody): void {
  refuse(commandErrors(command, []));
}

/** The rules of a whole scope: each command's, unique names, at most 100 slash commands (30032). */
export function checkCommands(commands: readonly CommandBody[]): void {
  const slash = commands.filter((command) => (command.type ?? CHAT_INPUT) === CHAT_INPUT);
  if (slash.length > MAX_COMMANDS) {
    throw badRequest(30032, `Maximum number of application commands reached (${MAX_COMMANDS})`);
  }
  const keys = commands.map((command) => `${command.type ?? CHAT_INPUT}:${command.name}`);
  const doubles = keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [
          {
            path: [index],
            code: "APPLICATION_COMMANDS_DUPLICATE_NAME",
            message: "Application command names must be unique",
          },
        ],
  );
  refuse([...commands.flatMap((command, index) => commandErrors(command, [index])), ...doubles]);
}
