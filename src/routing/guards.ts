import type { InboundEvent } from "../core/message/inbound-event.ts";
import type { AccountSettings, Settings, TextPattern } from "../core/settings.ts";
import { accessRules, mentionRules } from "../core/texts/rules.ts";
import { accountPath } from "./places.ts";

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
  if (facts.peer.kind === "direct") return yes(mentionRules.direct);
  if (facts.kind === "command") return yes(mentionRules.nativeCommand);
  if (mentions.bot) return yes(mentionRules.mention);
  if (rules.isCommand && rules.leftTo !== null && !mentions.replyToBot)
    return no(mentionRules.commandIsFor(rules.leftTo));
  // A reply ping of a bot is no address, and a thread two bots share would never fall silent (IN-4, FC-083).
  if (facts.sender.isBot) {
    return rules.requireMention ? no(mentionRules.otherBot) : otherwise(facts, rules);
  }
  if (mentions.replyToBot && rules.implicit.replyToBot) return yes(mentionRules.replyToBot);
  if (rules.patterns.some((pattern) => pattern.test(facts.text))) return yes(mentionRules.namePattern);
  if (rules.albumAddressed && !mentions.otherOnly) return yes(mentionRules.album);
  return otherwise(facts, rules);
}

function otherwise({ mentions, sender }: GateFacts, rules: GateRules): Gate {
  if (mentions.otherOnly) return no(mentionRules.somebodyElse);
  if (!rules.requireMention) return yes(mentionRules.noneNeeded);
  if (sender.isBot) return no(mentionRules.otherBot);
  if (rules.bound) return yes(mentionRules.bound);
  if (rules.isCommand) return yes(mentionRules.command);
  if (rules.participated && rules.implicit.threadParticipation) return yes(mentionRules.participated);
  return no(mentionRules.nothing(rules.path));
}

/**
 * IN-4, FC-082: how far two bots may talk without a person. `turnsSinceHuman` counts, from stored rows, this bot's
 * messages in this conversation that were answered since a person last wrote there; null: it may go on.
 */
export function botLoopRule(account: AccountSettings, turnsSinceHuman: number): string | null {
  if (turnsSinceHuman < account.maxBotTurns) return null;
  return accessRules.botTurns(accountPath(account), account.maxBotTurns);
}

/** The window of `limits.perSender.perMinute`. */
export const RATE_WINDOW_MS = 60_000;
export const RATE_LIMIT_RULE = "limits.perSender.perMinute";

export type RateVerdict =
  | { readonly within: true }
  /** `tell`: the first refusal of the window; the person gets one line and the operator sees it. */
  | { readonly within: false; readonly rule: string; readonly tell: boolean };

/** TN-19: counts come from the stored events of the last minute. A limit of 0 is none. */
export function rateVerdict(
  limits: Pick<Settings["limits"], "perSenderPerMinute">,
  counted: { readonly started: number; readonly refused: number },
): RateVerdict {
  const limit = limits.perSenderPerMinute;
  if (limit <= 0 || counted.started < limit) return { within: true };
  return { within: false, rule: `${RATE_LIMIT_RULE} is ${limit}`, tell: counted.refused === 0 };
}
