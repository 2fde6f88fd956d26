import type { InboundEvent } from "../core/message/inbound-event.ts";
import type { TextPattern } from "../core/settings.ts";

export type GateFacts = Pick<InboundEvent, "kind" | "peer" | "sender" | "mentions" | "text">;

export interface GateRules {
  readonly requireMention: boolean;
  /** Where `requireMention` stands, for the rule people read. */
  readonly path: string;
  readonly patterns: readonly TextPattern[];
  readonly implicit: { readonly replyToBot: boolean; readonly threadParticipation: boolean };
  /** The conversation is bound to a session (TB-3). */
  readonly bound: boolean;
  /** The bot already answered in this very thread; from stored deliveries, so it holds after a restart (FC-185). */
  readonly participated: boolean;
  /** The text is a command of the registry: commands are addressed by their nature, unless to another bot. */
  readonly isCommand: boolean;
  /** The account of ours that a command without a bot's name is for, when it is not this one (CM-17). */
  readonly leftTo: string | null;
  /** Another message of the same album was addressed (IN-12). */
  readonly albumAddressed: boolean;
}

export type Gate =
  | { readonly addressed: true; readonly by: string }
  | { readonly addressed: false; readonly rule: string };

const yes = (by: string): Gate => ({ addressed: true, by });
const no = (rule: string): Gate => ({ addressed: false, rule });

/** Whether the bot answers a message (IN-7). Access was decided before; being addressed lets nobody in (FC-190). */
export function mentionGate(facts: GateFacts, rules: GateRules): Gate {
  const { mentions } = facts;
  if (facts.peer.kind === "direct") return yes("direct message");
  if (facts.kind === "command") return yes("native command");
  if (mentions.bot) return yes("mention");
  if (rules.isCommand && rules.leftTo !== null && !mentions.replyToBot) return no(`the command is for ${rules.leftTo}`);
  // A reply ping of a bot is no address, and a thread two bots share would never fall silent (IN-4, FC-083).
  if (facts.sender.isBot) {
    return rules.requireMention ? no("a bot's message has no inline mention") : otherwise(facts, rules);
  }
  if (mentions.replyToBot && rules.implicit.replyToBot) return yes("reply to the bot");
  if (rules.patterns.some((pattern) => pattern.test(facts.text))) return yes("name pattern");
  if (rules.albumAddressed && !mentions.otherOnly) return yes("album");
  return otherwise(facts, rules);
}

function otherwise({ mentions, sender }: GateFacts, rules: GateRules): Gate {
  if (mentions.otherOnly) return no("addressed to somebody else");
  if (!rules.requireMention) return yes("no mention needed");
  if (sender.isBot) return no("a bot's message has no inline mention");
  if (rules.bound) return yes("bound conversation");
  if (rules.isCommand) return yes("command");
  if (rules.participated && rules.implicit.threadParticipation) return yes("thread with the bot");
  return no(`${rules.path} and nothing addresses the bot`);
}
