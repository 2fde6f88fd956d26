import type { WaitOptions } from "../signals.ts";
import type { InteractionRecord, InteractionState, StoredMessage } from "./records.ts";
import type { APIMessage } from "./wire-types.ts";
import { FLAG } from "./wire-types.ts";
import type { World } from "./world.ts";

/** A command somebody has used or a button somebody has pressed: what comes of it. */
export class UsedInteraction {
  readonly #world: World;
  readonly #record: InteractionRecord;
  #read = 0;

  constructor(world: World, record: InteractionRecord) {
    this.#world = world;
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  get token(): string {
    return this.#record.token;
  }

  /** `waiting` up to three seconds, then `failed` ("did not respond"); `deferred` ("is thinking"); `answered`. */
  get state(): InteractionState {
    return this.#record.state;
  }

  /** What a modal was opened with, if one was. */
  get modal(): unknown {
    return this.#record.modal;
  }

  #message(id: string | null): StoredMessage | undefined {
    const stored = id === null ? undefined : this.#record.channel.messages.get(id);
    return stored?.deleted === true ? undefined : stored;
  }

  #until<T>(what: string, look: () => T | undefined, options: WaitOptions): Promise<T> {
    const orFailed = (): T | undefined => {
      const found = look();
      if (found === undefined && this.state === "failed") throw new Error("the application did not respond");
      return found;
    };
    return this.#world.signals.until(orFailed, { what: `${what} to interaction ${this.id}`, ...options });
  }

  /** The type of the bot's first reaction (4 message, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal). */
  acknowledged(options: WaitOptions = {}): Promise<number> {
    return this.#until("a reaction", () => this.#record.callbackType ?? undefined, options);
  }

  /** The answer, once it is there: a message (ephemeral ones too), or the changed message of a pressed button. */
  answer(options: WaitOptions = {}): Promise<APIMessage> {
    const look = (): APIMessage | undefined => {
      const stored = this.state === "answered" ? this.#message(this.#record.originalId) : undefined;
      return stored === undefined || ((stored.message.flags ?? 0) & FLAG.loading) !== 0 ? undefined : stored.message;
    };
    return this.#until("an answer", look, options);
  }

  /** The next follow-up after the answer. */
  async followUp(options: WaitOptions = {}): Promise<APIMessage> {
    const index = this.#read + 1;
    const look = (): APIMessage | undefined => {
      const follow = this.#record.messageIds.filter((id) => id !== this.#record.originalId);
      return this.#message(follow[index - 1] ?? null)?.message;
    };
    const message = await this.#until("a follow-up", look, options);
    this.#read = index;
    return message;
  }

  /** Autocomplete: what the bot proposes. */
  choices(options: WaitOptions = {}): Promise<{ name: string; value: string | number }[]> {
    return this.#until("choices", () => this.#record.choices ?? undefined, options);
  }
}
