import type { AccountId, ChannelId } from "../ids.ts";

export type Role = "owner" | "admin" | "user";

/** Who is behind an input, with what a tool policy needs to know of them (TN-14, TP-2). */
export interface SenderRef {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly id: string;
}

/**
 * The rights a turn works with. `sender` is null when no person is behind it (a schedule, a hook, a child's completion);
 * then the rights stored by what caused it count.
 */
export interface Rights {
  readonly role: Role;
  readonly sender: SenderRef | null;
  /** The group or channel, with everything that finds its settings (IN-6): its tools and its prompt are looked up at each turn. */
  readonly group: {
    readonly channel: ChannelId;
    readonly accountId: AccountId;
    readonly id: string;
    /** Its id before the platform moved it; the configuration may still have it (SK-9). */
    readonly formerId: string | null;
    readonly guildId: string | null;
    /** A topic or thread in it. */
    readonly topicId: string | null;
  } | null;
}

const RANK: Record<Role, number> = { user: 0, admin: 1, owner: 2 };

export function roleAtLeast(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

/** The lower of two roles. */
export function lowerRole(a: Role, b: Role): Role {
  return RANK[a] <= RANK[b] ? a : b;
}

/** The lower of two authorities (TN-14): an inter-session turn never has more rights than either side. */
export function lowerRights(a: Rights, b: Rights): Rights {
  return RANK[a.role] <= RANK[b.role] ? a : b;
}

/** A turn that no chat asked for; it works for the operator (CLI, hooks). */
export const OPERATOR_RIGHTS: Rights = { role: "owner", sender: null, group: null };

/** Data without a request: a notice. */
export const NO_RIGHTS: Rights = { role: "user", sender: null, group: null };
