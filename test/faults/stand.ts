import type { Channel } from "../crash/stage.ts";
import type { Dose, Ends, FaultName } from "../support/emulators/fault-model.ts";

/** One conversation, as its person sees it. */
export interface Talk {
  /** The conversation by the id the platform has for it. */
  readonly to: string;
  /** Resolves when the message is on the platform; on the web page, when the page has taken it. */
  says(text: string): void | Promise<void>;
  /** What the agent's messages say here now, oldest first. */
  reads(): Promise<readonly string[]>;
}

/** A send of which the program cannot know whether it stands. */
export interface UnansweredSend {
  readonly to: string;
  readonly text: string;
}

/** One platform beside the program, with its people and its faults. */
export interface Stand {
  readonly channel: Channel;
  /** What stands under `channels.<name>`. */
  readonly section: Readonly<Record<string, unknown>>;
  /** The faults it can play. */
  readonly faults: readonly FaultName[];
  begins(fault: FaultName, dose: Dose): Promise<Ends>;
  /** Resolves when the account hears people. */
  ready(): Promise<void>;
  /** A new conversation; every third is in a room of many. */
  talk(name: string, index: number): Promise<Talk>;
  /** Everything people said has been told, as far as the platform knows. */
  isQuiet(): boolean;
  /** Whether the platform itself may have told of this message after later ones, apart from what a `reorder` swapped. */
  mayComeLate(mark: string): boolean;
  /** Sends that were carried out and whose answer never came, where the program cannot ask the platform about them. */
  unanswered(): readonly UnansweredSend[];
  stop(): Promise<void>;
}

/** Every third conversation is in a room, where the agent is addressed. */
export function isRoom(index: number): boolean {
  return index % 3 === 2;
}
