import type { InboundEvent } from "../core/message/inbound-event.ts";
import { mistypedNames } from "../core/nearest.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../core/session/session.ts";
import { findCode } from "../core/text/code-regions.ts";

export type CommandFacts = Pick<InboundEvent, "kind" | "command" | "text" | "mentions" | "forwarded">;

export interface RecognisedCommand {
  /** The registry's own name. */
  readonly name: string;
  readonly args: string;
  readonly native: boolean;
  readonly interactionId: string | null;
}

export interface CommandGate {
  /**
   * The command an event is, or null (IN-9). Only the sender's own current text is read: the event's text holds no quoted
   * one, and a forwarded message was written by someone else (CM-8). Unknown names are plain text (CM-5). `bareNames` (default true): a mention with one name behind it is that
   * command, as on platforms that send no typed slash.
   */
  read(event: CommandFacts, options?: { readonly bareNames: boolean }): RecognisedCommand | null;
  /** A slip of a command's name (FC-337), under the name as it was typed. */
  readTypo(event: CommandFacts): RecognisedCommand | null;
  /** "stop" as a whole message, once it is known that the bot is addressed (TN-8). */
  readPlainStop(event: CommandFacts): RecognisedCommand | null;
  /** CM-7: directives for this message only, and the text without them. Nothing inside code is a directive. */
  cutDirectives(event: CommandFacts): { readonly text: string; readonly thinking: ThinkingLevel | null };
  /** What a command counts as against its sender's limits (FC-403). Stopping is always free. */
  costOf(command: Pick<RecognisedCommand, "name" | "args">): CommandCost;
}

export type CommandCost = "free" | "command" | "message";

/** `/name`, `/name@bot`, `!name`, then everything else as arguments. Alone it may end like a sentence (`/stop.`, FC-211). */
const EXPLICIT = /^[/!]([\p{L}\p{N}][\p{L}\p{N}_-]*)(?:@[\w-]+(?:\.[\w-]+)*)?(?:[.!?…。！？]*|\s+([\s\S]*))$/u;
const BARE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u;
const PLAIN_STOP = /^stop[.!]*$/i;

/**
 * `names`: every name and alias of the registry → the command's own name. `startsWork`: whether a command with these arguments
 * starts model work. Built once per registry; compiles its patterns here.
 */
export function createCommandGate(
  names: ReadonlyMap<string, string>,
  startsWork: (name: string, args: string) => boolean,
): CommandGate {
  const directive = directivePattern(names);
  // Telegram's menu allows no hyphen, so `export_session` is how it calls `export-session`.
  const resolve = (typed: string): string | null => {
    const name = typed.toLowerCase();
    return names.get(name) ?? names.get(name.replaceAll("_", "-")) ?? null;
  };
  const written = (name: string, args: string): RecognisedCommand => ({
    name,
    args,
    native: false,
    interactionId: null,
  });

  const cutDirectives: CommandGate["cutDirectives"] = (event) => {
    const untouched = { text: event.text, thinking: null };
    if (directive === null || event.forwarded || event.kind !== "message" || !event.text.includes("/"))
      return untouched;
    return cut(event.text, directive);
  };

  return {
    read(event, { bareNames } = { bareNames: true }) {
      if (event.kind === "command" && event.command !== null) {
        const { name, args, interactionId = null } = event.command;
        return { name: resolve(name) ?? name, args: args.trim(), native: true, interactionId };
      }
      if (event.kind !== "message" || event.forwarded || event.mentions.otherOnly) return null;
      const text = event.text.trim();
      const explicit = EXPLICIT.exec(text);
      if (explicit === null) {
        const bare = bareNames && event.mentions.bot && BARE_NAME.test(text) ? resolve(text) : null;
        return bare === null ? null : written(bare, "");
      }
      const name = resolve(explicit[1] ?? "");
      if (name === null) return null;
      // A leading directive with a message behind it is that message.
      const rest = cutDirectives(event);
      if (rest.thinking !== null && rest.text.trim() !== "" && name === "think") return null;
      return written(name, (explicit[2] ?? "").trim());
    },
    readTypo(event) {
      if (event.kind !== "message" || event.forwarded || event.mentions.otherOnly) return null;
      const [, name = "", args = ""] = EXPLICIT.exec(event.text.trim()) ?? [];
      const slips = event.text.trimStart().startsWith("/") && name.length > 2 && resolve(name) === null;
      return slips && mistypedNames(name, [...names.keys()]).length > 0 ? written(name, args.trim()) : null;
    },
    readPlainStop(event) {
      const known = names.get("stop");
      if (known === undefined || event.kind !== "message" || event.forwarded || event.mentions.otherOnly) return null;
      return PLAIN_STOP.test(event.text.trim()) ? written(known, "") : null;
    },
    cutDirectives,
    costOf({ name, args }) {
      if (startsWork(name, args)) return "message";
      return name === names.get("stop") ? "free" : "command";
    },
  };
}

function directivePattern(names: ReadonlyMap<string, string>): RegExp | null {
  const aliases = [...names].filter(([alias, name]) => name === "think" && /^\w+$/.test(alias)).map(([alias]) => alias);
  if (aliases.length === 0) return null;
  const levels = THINKING_LEVELS.join("|");
  return new RegExp(`(^|\\s)/(?:${aliases.join("|")})(?:@[\\w.-]+)?[ \\t]+(${levels})(?=\\s|$)`, "giu");
}

/** Takes each directive out with the one space that set it off; the spacing of the rest is untouched (CM-7). */
function cut(text: string, directive: RegExp): { text: string; thinking: ThinkingLevel | null } {
  const code = codeSpans(text);
  let thinking: ThinkingLevel | null = null;
  const kept = text.replace(directive, (match: string, _space: string, level: string, at: number) => {
    if (code.some((span) => at >= span.start && at < span.end)) return match;
    thinking = THINKING_LEVELS.find((known) => known === level.toLowerCase()) ?? thinking;
    return "";
  });
  if (thinking === null) return { text, thinking };
  // At the start there is no space before the directive; then it is the one behind it that set it off.
  const startedText = /\S/.exec(text)?.index !== /\S/.exec(kept)?.index && /^\s/.test(kept) && !/^\s/.test(text);
  return { text: startedText ? kept.slice(1) : kept, thinking };
}

function codeSpans(text: string): { readonly start: number; readonly end: number }[] {
  const regions = findCode(text);
  const spans: { start: number; end: number }[] = [];
  for (let span = regions.next(0); span !== null; span = regions.next(span.end)) spans.push(span);
  return spans;
}
