import type { RenderedPiece } from "../../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import type { InboundEvent } from "../../core/message/inbound-event.ts";
import type { Runtime } from "../../core/runtime.ts";
import type { AccountSettings, Settings } from "../../core/settings.ts";
import type { LocalTime } from "../../core/time.ts";
import type { ChannelDoor } from "../../routing/admission.ts";
import type { CommandGate } from "../../routing/commands-gate.ts";
import type { StoredFacts } from "../../routing/decide.ts";
import type { RoutingIndex } from "../../routing/routing-index.ts";
import type { EventRow, Expected } from "../../store/parts/event-row.ts";
import type { AcceptFacts, KnownEvent } from "../../store/reads/inbound/accept-facts.ts";
import type { SharedCommand } from "../../store/reads/inbound/whose-command.ts";
import type { Store } from "../../store/store.ts";

export interface AcceptDeps extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  /** The settings that hold now; a reload gives another object. */
  settings(): Settings;
  door(channel: ChannelId): ChannelDoor;
  readonly localTime: LocalTime;
  /** Every name and alias of the command registry → the command's own name. */
  readonly commandNames: ReadonlyMap<string, string>;
  /** A short line to a person in the account's own format. */
  renderNotice(account: { readonly channel: ChannelId; readonly accountId: AccountId }, text: string): RenderedPiece;
}

/** One event on its way in, with all that its decision rests on. */
export interface Arrival {
  readonly deps: AcceptDeps;
  readonly event: InboundEvent;
  readonly account: AccountSettings;
  readonly index: RoutingIndex;
  readonly commands: CommandGate;
  readonly facts: AcceptFacts;
  /** A command that names no bot, where other accounts may hear it too, and whose it is (CM-17); null: it is no such one. */
  readonly shared: { readonly command: SharedCommand; readonly isFor: AccountId | null } | null;
  readonly now: number;
}

/** A message as it is decided: the first time, or again with facts a later arrival or an edit brought. */
export interface Undecided {
  readonly arrival: Arrival;
  readonly row: EventRow;
  /** What is stored of it already. */
  readonly known: KnownEvent | null;
  /** The edit that has it decided again. */
  readonly edit: EventRow | null;
}

/** What the conversation is bound to, where bindings are switched on (TB-4); null: nothing. */
export function boundHere({ facts, account }: Arrival): AcceptFacts["bound"] {
  return account.threadBindings.enabled ? facts.bound : null;
}

/** The stored side of a decision, from the one read. */
export function storedFacts(arrival: Arrival): StoredFacts {
  const { facts } = arrival;
  return {
    paired: { paired: facts.paired, owner: facts.pairedOwner, listed: facts.listed, listedHere: facts.listedHere },
    pairedOwners: facts.pairedOwners,
    formerPeerId: facts.movedFrom,
    bound: boundHere(arrival)?.sessionKey ?? null,
    activation: facts.activation,
    participated: facts.participated,
    commandIsFor: arrival.shared?.isFor ?? null,
    albumAddressed: facts.album.some((part) => part.result === "accepted" || part.result === "merged"),
    botTurnsSinceHuman: facts.botTurnsSinceHuman,
    senderRate: { started: facts.started, refused: facts.rateRefused },
  };
}

export function expectedOf(known: KnownEvent | null): Expected {
  return known === null ? null : { result: known.result, inboxSeq: known.inboxSeq };
}
