/** What the agent sends, by how the platform is asked for it. `any`: whatever goes to the place. */
export type Sending = "message" | "edit" | "file" | "thread" | "reaction" | "native" | "private" | "any";

/** `held`: the request is neither carried out nor answered any more; `held after`: carried out, and not answered. */
export type Trouble = "429" | "5xx" | "cut" | "gone" | "held" | "held after";

export interface Broken {
  /** How many requests it has met. */
  hits(): number;
  off(): void;
}

/** The switches of one emulated platform, the same for each. */
export interface Breaks {
  fails(
    to: string,
    what: Trouble,
    on: {
      readonly sending: Sending;
      /** So many of them go through before. */
      readonly after: number;
      readonly times: number;
    },
  ): Broken;
  /** The whole platform: its port is closed. People can go on writing. */
  readonly platform: { goes(): Promise<void>; returns(): Promise<void> };
  /** Only the line on which the account hears: what it sends would arrive. */
  readonly line: { goes(): Promise<void>; returns(): void };
}

/** Longer than any test. */
export const HELD_MS = 600_000;
