import type { Shape } from "./fixtures.ts";
import type { Json } from "./mutate.ts";

/** One platform's emulator with a person, a bot, and ways to say what no real platform would say. */
export interface Arena {
  readonly name: "discord" | "slack" | "telegram";
  /** What stands under `channels.<name>`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Real events in this world's ids, to be mutated. */
  readonly shapes: readonly Shape[];
  /** The event as the platform would number its `at`-th one: a second event with the same number is a repeated one and starts nothing. */
  numbered(event: Json, at: number): Json;
  /** Resolves when the bot is heard. */
  ready(): Promise<void>;
  inject(event: Json): void;
  /** Ann, in the direct chat and in the channel that the mutated events are about. */
  says(text: string): void;
  /** What people read in both places so far. */
  shown(): readonly string[];
  stop(): Promise<void>;
}
