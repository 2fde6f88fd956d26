import type { ModelScript } from "../support/emulators/model/index.ts";
import type { TestBridge } from "../support/test-bridge.ts";
import type { Breaks } from "./breaks.ts";

export const CHANNELS = ["telegram", "discord", "slack", "web"] as const;
export type Channel = (typeof CHANNELS)[number];

/** A conversation of two, or a room of many where the agent is mentioned and may open threads. */
export type PlaceKind = "dm" | "room";

/** Where one case's person talks with the agent. */
export interface Place {
  /** The conversation by the id the platform has for it. */
  readonly to: string;
  /** What a typed command begins with here. */
  readonly sigil: "/" | "!";
  /** Resolves when the message is on the platform; on the web page, when the page has it stored. */
  says(text: string): Promise<void>;
  /** The same in the thread the agent has opened here. */
  saysInThread(text: string): Promise<void>;
  /** Calls a command by the platform's own means (a slash command); absent where there are none. */
  uses?(command: string): Promise<void>;
  /**
   * What the agent's messages say here now, oldest first. In a thread the agent opened they begin with `thread: `; its
   * opening line, its farewell and a link to it are `OPENING`, `FAREWELL` and `LINK`, however the platform shows them.
   */
  answers(): Promise<readonly string[]>;
}

export const OPENING = "(thread opened)";
export const FAREWELL = "(thread released)";
export const LINK = "(link to the thread)";

/** What people are told about a thread, without the words and marks that differ between platforms. */
export function named(text: string): string {
  if (text.includes("). Reply in this thread")) return OPENING;
  if (/^This thread is (unlinked|no longer)/.test(text)) return FAREWELL;
  if (text.startsWith("→")) return LINK;
  return text;
}

/** Stands between the platform and the program: sees every request that changes something people see. */
export interface SendWatch {
  /** Before it is carried out; while the promise is open it is not. `cuts`: its answer will be cut. */
  arrives(method: string, cuts: () => void): void | Promise<void>;
  /** Carried out and not answered. */
  accepted(method: string): void | Promise<void>;
}

/** One program with its platform and its model. */
export interface Stage extends AsyncDisposable {
  readonly bridge: TestBridge;
  /** A new conversation with a new person. */
  place(kind: PlaceKind, mark: string): Promise<Place>;
  /** null: nobody watches. */
  watch(sends: SendWatch | null): void;
  /** What can be broken on purpose between the two; null: there is no line between them (the web page). */
  readonly breaks: Breaks | null;
  /** Resolves when the program can hear people. */
  ready(): Promise<void>;
}

export interface StageOptions {
  /** Laid over the platform's account. */
  readonly account?: { readonly [key: string]: unknown };
  readonly model: ModelScript;
  readonly start: { readonly nodeArgs: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

/** A sub-agent may have a sub-agent, a session talks to another one. In rooms one person acts in all cases: an owner, who may bind threads. */
export const SETTINGS = {
  // More than any honest flow sets off.
  session: { chains: { maxModelCalls: 20 } },
  agents: { defaults: { subagents: { maxSpawnDepth: 2 } } },
  tools: { alsoAllow: ["message"], sessions: { visibility: "agent" } },
};
