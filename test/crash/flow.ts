import type { ModelReply } from "../support/emulators/model/index.ts";
import type { Channel, Place, PlaceKind } from "./stage.ts";

export interface Asked {
  readonly mark: string;
  /** The last input, as the model reads it. */
  readonly input: string;
  /** What the tools gave that have been run since it was asked, in order. */
  readonly results: readonly string[];
  /** How many those are. */
  readonly done: number;
}

/** Another conversation, with another person, in which something was said before. */
export interface Beside {
  /** Its session's key. */
  readonly session: string;
  /** The conversation by the id its route has. */
  readonly to: string;
}

/** A text, or what it looks like. */
export type Wanted = string | RegExp;

/** What a flow's person can do while it goes on. */
export interface FlowPlace extends Pick<Place, "says" | "saysInThread" | "sigil"> {
  /** Resolves when this can be read. */
  reads(wanted: Wanted): Promise<void>;
  /** What is said with this word at its beginning is stored in a form that cannot be read. */
  spoils(word: string): void;
  /** Throws in a flow that asked for none. */
  beside(): Beside;
}

/** One way of a message through the program: what a person writes, what the model does, what must be read in the end. */
export interface Flow {
  readonly name: string;
  /** Where it happens. Default `dm`. */
  readonly where?: PlaceKind;
  /** Default: all. */
  readonly channels?: readonly Channel[];
  /** True: there is another conversation; what is read there begins with `beside: `. */
  readonly beside?: boolean;
  /** How many turns it takes in all sessions, where that is certain: a turn that nobody reads must not come twice either. */
  readonly turns?: number;
  /** What the person does, to its end; must do whatever the program does meanwhile, also when it is ended and comes back. */
  does(place: FlowPlace, mark: string): Promise<void>;
  /** What the model answers to a message that ends in a verb and the mark. */
  readonly model?: Readonly<Record<string, (asked: Asked) => ModelReply>>;
  /** Each exactly once, in any order. */
  reads(mark: string): readonly Wanted[];
  /** Each may stand there once or not. */
  mayRead?(mark: string): readonly Wanted[];
}
