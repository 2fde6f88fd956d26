import type { z } from "zod";
import type { AccountHealth } from "../channel/adapter.ts";
import type { SuggestionKind } from "../channel/capabilities.ts";
import type { ChannelDescriptor } from "../channel/descriptor.ts";
import type { ConfigEditor, ProcessControl } from "../core/config-editor.ts";
import type { Route } from "../core/delivery/delivery.ts";
import type { ChannelId } from "../core/ids.ts";
import type { ModelRef } from "../core/model.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Rights, Role } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { commandTexts } from "../core/texts/commands/frame.ts";
import type { Threads } from "../delivery/way-out.ts";
import type { LiveTurns } from "../sessions/live-turns.ts";
import type { Store } from "../store/store.ts";

/** One argument as people type it: words in order; a `rest` argument takes the remaining text as it stands. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
  readonly rest?: true;
  readonly choices?: readonly string[];
  /** Suggestions while a person types it, where the platform has them (CM-12); any other text is accepted too. */
  readonly suggests?: SuggestionKind;
}

/** What commands work with, given in at composition. */
export interface CommandServices extends Runtime {
  readonly store: Store;
  readonly settings: Settings;
  readonly liveTurns: LiveTurns;
  readonly threads: Threads;
  readonly version: string;
  readonly startedAt: number;
  /** null: the program runs without a configuration file. */
  readonly configFile: ConfigEditor | null;
  readonly process: ProcessControl;
  /** Every account's health by `channel/account` (CH-5). */
  health(): ReadonlyMap<string, AccountHealth>;
  /** The policy's own decision: the tools a turn of these rights has, and which layer took the others away (TP-3). */
  effectiveTools(facts: ToolFacts): OfferedTools;
  /** Summarises the older part of a session now (TN-12); once per cause. */
  compact(request: CompactRequest): Promise<Compacted>;
  /**
   * A person's id in the platform's own form, null when it cannot be one, with an example of one; null: the channel knows no
   * lists of people.
   */
  foldSender(channel: ChannelId, id: string): { readonly id: string | null; readonly example: string } | null;
  /** The known platforms: how links to their messages are read (IN-17). */
  readonly channels: readonly ChannelDescriptor[];
  /** The parts of the system prompt of a session with their sizes (TN-18). */
  describeContext(
    key: SessionKey,
    rights: Rights,
  ): Promise<readonly { readonly part: string; readonly characters: number }[]>;
}

export interface CompactRequest {
  readonly session: Session;
  readonly instructions: string | null;
  readonly cause: string;
  readonly actor: string;
  readonly signal: AbortSignal;
}

export type Compacted =
  | { readonly result: "compacted"; readonly messages: number; readonly tokens: number }
  | { readonly result: "nothing" | "done_before" | "failed" | "daily_limit" };

export interface ToolFacts extends OwnSession {
  readonly settings: Settings;
  readonly rights: Rights;
  readonly model: ModelRef;
}

export interface OfferedTools {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly removed: readonly { readonly tool: string; readonly layer: string }[];
  /** The allowlist that removes every tool; null: none does. */
  readonly emptyBy: string | null;
}

/** A session with its agent. */
export interface OwnSession {
  readonly session: Session;
  readonly agent: AgentSettings;
}

export interface CommandContext {
  readonly services: CommandServices;
  /** The session of the conversation it was typed in (CM-4). */
  readonly sessionKey: SessionKey;
  readonly route: Route;
  readonly rights: Rights;
  readonly sender: { readonly id: string; readonly name: string };
  /** In a group some settings need an admin. */
  readonly inGroup: boolean;
  /** Only the asker reads a private answer: a direct conversation, or a platform that shows it to them alone. */
  readonly inPrivate: boolean;
  /** The platform's id of the message or call. */
  readonly messageId: string;
  /** The platform's id of the message it was written as a reply to; null: of none. */
  readonly repliesTo: string | null;
  /** Unique per command given; the idempotency key of what it does. */
  readonly cause: string;
  /** Its place among the session's inputs: what came before it, and what after. */
  readonly seq: number;
  /** Aborted when the program stops: a long command ends then, and the next start carries it out again. */
  readonly signal: AbortSignal;
  /** When it arrived, in milliseconds since the epoch: what is newer it was not meant for. */
  readonly givenAt: number;
}

/** Short, says what changed, shows no token, path or stack (CM-9). `private`: for the sender only where the platform can. */
export interface CommandAnswer {
  readonly text: string;
  readonly private?: true;
  /** Sent behind the text into the conversation. */
  readonly file?: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array };
  /** What the sender wrote behind the command for the agent: it is their next message, after the command (FC-211). */
  readonly words?: string;
  /** The sender lacks a right that depends on what was asked: told privately, or in a group not at all (CM-5). */
  readonly refused?: true;
}

/** The command is not done: its row stays, and the next start of the program carries it out again (CM-16). */
export const AFTER_RESTART = "after restart";

export type CommandGroup = "conversation" | "session" | "model" | "sub-agents" | "administration";

/** Declared once; native registration, `/help`, `/commands`, parsing and the docs page derive from it (CM-1). */
export interface CommandDefinition<I extends z.ZodType = z.ZodType> {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  readonly summary: string;
  readonly arguments: readonly CommandArgument[];
  /** Checks and types the arguments, given as `{name: text}`. */
  readonly input: I;
  readonly role: Role;
  /** It waits for a model: other commands of the session do not wait for it, only those like it do (CM-4). */
  readonly long?: true;
  /** It starts model work when it is given with these arguments: it counts as a message (FC-403). Absent: never. */
  readonly startsWork?: (args: string) => boolean;
  /** Not offered in the platforms' own menus. */
  readonly textOnly?: true;
  execute(args: z.output<I>, context: CommandContext): Promise<CommandAnswer | typeof AFTER_RESTART>;
}

export function defineCommand<I extends z.ZodType>(definition: CommandDefinition<I>): CommandDefinition {
  return definition as unknown as CommandDefinition;
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

/** `Usage: /model [ref]`. */
export function usage({ name, arguments: all }: CommandDefinition): string {
  const shown = all.map((argument) => (argument.required === true ? `<${argument.name}>` : `[${argument.name}]`));
  return commandTexts.usage([name, ...shown].join(" "));
}
