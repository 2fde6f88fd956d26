import type { TestBridge } from "../test-bridge.ts";

/** Ann is the owner, Ben may talk, Cleo is on no list. On the chat page everybody is the operator. */
export type Who = "ann" | "ben" | "cleo";
/** `default` is in every channel; `second` is the platform's second bot. */
export type Account = "default" | "second";

export interface Writing {
  /** Default `ann`. */
  readonly by?: Who;
  /** Addresses this bot; default nobody. Means nothing on the chat page, where everything is addressed. */
  readonly to?: Account;
}

/** One place as people see it, the same on every platform: a direct chat, a channel, a thread. */
export interface Spot {
  says(text: string, writing?: Writing): Promise<void>;
  /** Types a command as people do where it is: Slack has `!` for it. */
  runs(command: string, writing?: Writing): Promise<void>;
  /** The next message of a bot here that was not read yet and whose whole text equals or matches this. */
  hears(wanted: string | RegExp, by?: Account): Promise<string>;
  /** What bots have said here so far. */
  botTexts(): Promise<readonly string[]>;
}

export interface ThreadSpot extends Spot {
  /** What takes a thread away on this platform; null: nothing can. */
  readonly closing: { readonly closes: () => void; readonly opens: () => void; readonly state: string } | null;
  readonly deletes: (() => void) | null;
}

export interface ChannelSpot extends Spot {
  /** Ann addresses the bot; resolves with the place where its answer belongs (on Slack the message's thread). */
  asks(text: string, to?: Account): Promise<Spot>;
  /** A thread that Ann opens here. */
  thread(title: string): Promise<ThreadSpot>;
  /** The thread that is made for a sub-agent of this name, once its opening line is read. */
  subAgentThread(name: string): Promise<ThreadSpot>;
}

/** A platform with its people and bots, beside a running bridge. */
export interface Platform {
  readonly name: "discord" | "slack" | "telegram" | "web";
  /** False: the operator's own page, where everything is for the agent and nobody else writes. */
  readonly public: boolean;
  /** Ann's id as `commands.ownerAllowFrom` takes it; null: whoever is there is the owner. */
  readonly owner: string | null;
  /** What stands under `channels.<name>`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** How people address a bot in their text. */
  mentionOf(account: Account): string;
  /** Resolves when both accounts are heard. */
  ready(bridge: TestBridge): Promise<void>;
  direct(who?: Who, account?: Account): Spot;
  channel(title: string): Promise<ChannelSpot>;
  stop(): Promise<void>;
}
