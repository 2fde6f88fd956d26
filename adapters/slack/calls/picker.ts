import type { NativeCommand, Suggestion } from "../../../src/channel/capabilities.ts";
import { cutText } from "../../../src/core/text/cut.ts";
import { pickerTexts } from "../../../src/core/texts/platforms/examples.ts";
import { type BotFacts, linkOf } from "../address.ts";

/* The picker that `/switchyard` without words shows to its asker (CM-2): where, what, and with what. Built purely. */

/** What Slack takes: more options than this, or longer ones, and it refuses the whole message. */
const MOST_OPTIONS = 100;
const LONGEST_LABEL = 75;
const LONGEST_VALUE = 150;
const MARK = "switchyard";

type Argument = NativeCommand["arguments"][number];

/** How far a person has come. The ids of the picker's blocks contain it, so nothing has to be remembered. */
export interface PickState {
  /** Who asked, and alone may choose. */
  readonly asker: string;
  /** The thread the command is for; null: the conversation itself. */
  readonly threadTs: string | null;
  /** Chosen already, and waits for its argument. */
  readonly command: string | null;
}

export type PickElement = "where" | "what" | "with" | "without";

export interface PickerOption {
  readonly text: { readonly type: "plain_text"; readonly text: string };
  readonly value: string;
}

export function blockIdOf({ asker, threadTs, command }: PickState): string {
  return [MARK, asker, threadTs ?? "-", command ?? "-"].join(" ");
}

/** null: not a block of a picker. */
export function readBlockId(text: string): PickState | null {
  const [mark, asker, threadTs, command, ...rest] = text.split(" ");
  if (mark !== MARK || !asker || !threadTs || !command || rest.length > 0) return null;
  return { asker, threadTs: threadTs === "-" ? null : threadTs, command: command === "-" ? null : command };
}

/** Only what can be given by choosing: commands without arguments that must be written. */
export function pickable(commands: readonly NativeCommand[]): readonly NativeCommand[] {
  return commands.filter(({ arguments: [first, ...rest] }) => {
    const writes = first?.required === true && !isPicked(first);
    return !writes && rest.every(({ required }) => !required);
  });
}

/** Whether a command asks for a choice before it runs. */
export function asksFor(command: NativeCommand): Argument | null {
  const [first] = command.arguments;
  return first !== undefined && isPicked(first) ? first : null;
}

function isPicked({ choices, suggests }: Argument): boolean {
  return suggests !== undefined || choices.length > 0;
}

/** What Slack takes of proposals: labels cut, values that fit whole or not at all. */
export function optionsOf(suggestions: readonly Suggestion[]): readonly PickerOption[] {
  return suggestions
    .filter(({ label, value }) => label !== "" && value !== "" && value.length <= LONGEST_VALUE)
    .slice(0, MOST_OPTIONS)
    .map(({ label, value }) => ({
      text: { type: "plain_text", text: cutText(label.replaceAll(/\s+/g, " "), LONGEST_LABEL).text },
      value,
    }));
}

interface PickerParts {
  readonly state: PickState;
  readonly commands: readonly NativeCommand[];
  readonly bot: Pick<BotFacts, "teamUrl">;
  readonly channel: string;
}

/** The message that shows the picker; `text` is for notifications and readers of screens. */
export function pickerMessage(parts: PickerParts): { readonly text: string; readonly blocks: readonly object[] } {
  const { state, commands } = parts;
  const chosen = commands.find(({ name }) => name === state.command);
  const argument = chosen === undefined ? null : asksFor(chosen);
  const asked = chosen === undefined || argument === null ? whatToDo(parts) : withWhat(parts, chosen, argument);
  return {
    text: asked.words,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: asked.words } },
      { type: "actions", block_id: blockIdOf(state), elements: asked.elements },
    ],
  };
}

interface Asked {
  readonly words: string;
  readonly elements: readonly object[];
}

function whatToDo(parts: PickerParts): Asked {
  const { state, commands, channel } = parts;
  const options = optionsOf(
    pickable(commands).map(({ name, description }) => ({ label: `${name}: ${description}`, value: name })),
  );
  // Threads of a direct conversation share its session (SK-8): there is nothing to choose among.
  const where = channel.startsWith("D") ? [] : [searched("where", pickerTexts.thread)];
  return {
    words: pickerTexts.question(pickedPlaceText(parts, state.threadTs)),
    elements: [...where, selected("what", pickerTexts.command, options)],
  };
}

function withWhat(parts: PickerParts, command: NativeCommand, argument: Argument): Asked {
  const { name } = command;
  const { suggests, choices, required } = argument;
  const list =
    suggests === undefined
      ? selected("with", argument.name, optionsOf(choices.map((choice) => ({ label: choice, value: choice }))))
      : searched("with", argument.name);
  const without = {
    type: "button",
    action_id: "without",
    text: { type: "plain_text", text: pickerTexts.without(name) },
  };
  return {
    words: pickerTexts.argument(name, pickedPlaceText(parts, parts.state.threadTs), argument.description),
    elements: [list, ...(required ? [] : [without])],
  };
}

/** The place in words, a thread as the link to it. */
export function pickedPlaceText(
  { bot, channel }: Pick<PickerParts, "bot" | "channel">,
  threadTs: string | null,
): string {
  if (threadTs === null) return channel.startsWith("D") ? pickerTexts.thisConversation : pickerTexts.thisChannel;
  return `<${linkOf(bot, channel, { ts: threadTs })}|${pickerTexts.thisThread}>`;
}

function selected(id: PickElement, placeholder: string, options: readonly PickerOption[]): object {
  return { type: "static_select", action_id: id, placeholder: { type: "plain_text", text: placeholder }, options };
}

function searched(id: PickElement, placeholder: string): object {
  return {
    type: "external_select",
    action_id: id,
    placeholder: { type: "plain_text", text: placeholder },
    min_query_length: 0,
  };
}
