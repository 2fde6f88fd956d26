import { encodeId } from "../../core/ids.ts";
import { type InboundEvent, identityKey } from "../../core/message/inbound-event.ts";
import { RATE_WINDOW_MS, type SenderRate } from "../../routing/agent-rules.ts";
import type { Decision } from "../../routing/decide.ts";

/** What this process decided in the last minute, so that events that are decided at once count one another (FC-403). */
export interface RateLedger {
  /** The larger of what is stored and what was decided, the event itself left out: it may be decided again. */
  counted(event: InboundEvent, stored: SenderRate, now: number): SenderRate;
  note(event: InboundEvent, decision: Decision, now: number): void;
}

type Counter = keyof SenderRate;
type Entries = Map<string, { readonly counter: Counter; readonly at: number }>;

/** Senders in memory beyond which those without an entry in the window are dropped. */
const SWEEP_AT = 1_000;

export function createRateLedger(): RateLedger {
  const senders = new Map<string, Entries>();

  return {
    counted(event, stored, now) {
      const own = identityKey(event.identity);
      const counted = { started: 0, commands: 0, refused: 0 };
      const entries = senders.get(senderKey(event));
      for (const [identity, { counter, at }] of entries ?? []) {
        if (at <= now - RATE_WINDOW_MS) entries?.delete(identity);
        else if (identity !== own) counted[counter] += 1;
      }
      return {
        started: Math.max(stored.started, counted.started),
        commands: Math.max(stored.commands, counted.commands),
        refused: Math.max(stored.refused, counted.refused),
      };
    },
    note(event, decision, now) {
      const counter = counterOf(decision);
      if (counter === null) return;
      if (senders.size >= SWEEP_AT) sweep(senders, now);
      const key = senderKey(event);
      const entries: Entries = senders.get(key) ?? new Map();
      entries.set(identityKey(event.identity), { counter, at: now });
      senders.set(key, entries);
    },
  };
}

/** Only what bounds itself is noted: what starts something, and the one refusal of a minute that people are told. */
function counterOf(decision: Decision): Counter | null {
  if (decision.decision === "message") return "started";
  if (decision.decision === "refuse") return decision.tell === "rate limit" ? "refused" : null;
  if (decision.decision !== "command" || decision.cost === "free") return null;
  return decision.cost === "message" ? "started" : "commands";
}

function senderKey({ route, accountId, sender }: InboundEvent): string {
  return [route.channel, accountId, sender.id].map(encodeId).join("/");
}

function sweep(senders: Map<string, Entries>, now: number): void {
  for (const [key, entries] of senders) {
    if ([...entries.values()].every(({ at }) => at <= now - RATE_WINDOW_MS)) senders.delete(key);
  }
}
