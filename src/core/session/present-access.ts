import type { InboxItem } from "../message/inbox-item.ts";
import type { Role } from "./rights.ts";

/** What pairing and the stored lists say of a person in the place they write in. */
export interface PairedFacts {
  /** Approved for DMs of this account (IN-5). */
  readonly paired: boolean;
  /** An owner put them on the list, which counts under `allowlist` too (CM-14). Default false. */
  readonly listed?: boolean;
  /** An owner put them on the list of the group or channel they write in (CM-14). Default false. */
  readonly listedHere?: boolean;
  readonly owner: boolean;
}

/** All that the store knows of a person and their place and the access rules look at. */
export interface KnownSender extends PairedFacts {
  /** The id the conversation has now; null: the one it had when the message came (SK-9). */
  readonly movedTo: string | null;
  /** The id it had before that; entries for it still count. */
  readonly formerPeerId: string | null;
}

export const UNKNOWN_SENDER: KnownSender = { paired: false, owner: false, movedTo: null, formerPeerId: null };

/** What the access rules say now about the sender of a stored input (IN-18). */
export type PresentAccess =
  | { readonly admitted: true; readonly role: Role; readonly commandsDenied: string | null }
  /** The rule names the configuration key that decided. */
  | { readonly admitted: false; readonly rule: string };

/** By the current settings and what is known. The role is never above the one that the input came with. */
export type PresentAccessOf = (item: Pick<InboxItem, "payload" | "rights">, known: KnownSender) => PresentAccess;
