import type { WaitOptions } from "../signals.ts";
import { AssistantThread } from "./assistant-thread.ts";
import { Conversation } from "./conversation.ts";
import { notify, send } from "./events.ts";
import type { DeliverOne } from "./interactions.ts";
import {
  type Interaction,
  pressButton,
  runSlash,
  type SeenView,
  searchOptions,
  viewFor,
} from "./person-interactions.ts";
import type { MessageRef, Place } from "./place.ts";
import type { AppRecord, OptionObject, UserRecord } from "./records.ts";
import { type PostedAnswer, postBody, type Signing, signatureHeaders, verifyUrl } from "./request-url.ts";
import type { SocketConnection } from "./socket-connection.ts";
import type { NextSocket } from "./socket-hub.ts";
import type { World } from "./world.ts";

/** An installed app: what a test reads about it, and what the platform does to it. */
export class App {
  readonly record: AppRecord;
  readonly #world: World;

  constructor(world: World, record: AppRecord) {
    this.#world = world;
    this.record = record;
  }

  get id(): string {
    return this.record.id;
  }

  /** The bot's user. */
  get user(): UserRecord {
    return this.record.user;
  }

  get userId(): string {
    return this.record.user.id;
  }

  get botToken(): string {
    return this.record.botToken;
  }

  get appToken(): string {
    return this.record.appToken;
  }

  get signingSecret(): string {
    return this.record.signingSecret;
  }

  /** `<@U…>`. */
  get mention(): string {
    return `<@${this.record.user.id}>`;
  }

  /** Open Socket Mode connections, oldest first. */
  get sockets(): readonly SocketConnection[] {
    return this.record.sockets.connections;
  }

  /** Events neither acknowledged nor given up. */
  get pendingEvents(): number {
    return this.record.deliveries.pending;
  }

  /** Waits until at least `count` (1) connections have had their `hello`. */
  async connected(count = 1, options: WaitOptions = {}): Promise<void> {
    await this.#world.signals.until(() => (this.sockets.length >= count ? true : undefined), {
      what: `${count} Socket Mode connection(s) of ${this.record.name}`,
      ...options,
    });
  }

  /** What goes wrong with connections to come, one after the other. */
  breaksNextSocket(...faults: NextSocket[]): void {
    this.record.sockets.breakNext(...faults);
  }

  /** HTTP mode: everything goes to this URL from now on. The URL must answer the platform's challenge. */
  async setRequestUrl(url: string): Promise<void> {
    await verifyUrl(this.record, url, { nowMs: this.#world.clock(), ackMs: 3000 });
    this.record.requestUrl = url;
  }

  /** Posts a body to the request URL, signed as wanted; the answer. */
  posts(body: unknown, signing: Signing = {}, type = "application/json"): Promise<PostedAnswer> {
    const { requestUrl, signingSecret } = this.record;
    if (requestUrl === null) throw new Error("this app has no request URL");
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = { "content-type": type, ...signatureHeaders(signingSecret, text, this.#world.clock(), signing) };
    return postBody(requestUrl, text, headers, 3000);
  }

  /** Puts any event before the app. Returns its event id. */
  hears(event: Record<string, unknown>): string {
    return send(this.#world, this.record, event);
  }

  /** The platform gives up what the app has not taken yet, as after a long absence. */
  misses(): void {
    this.record.deliveries.drop();
  }

  /** Takes the bot's token away: `tokens_revoked`, then every request is refused with `token_revoked`. */
  isRevoked(): void {
    this.record.tokenState = "revoked";
    notify(this.#world, this.record, { type: "tokens_revoked", tokens: { oauth: [], bot: [this.userId] } }, null);
  }

  /** The workspace removes the app: `app_uninstalled`, then `account_inactive`. */
  isUninstalled(): void {
    this.record.tokenState = "inactive";
    notify(this.#world, this.record, { type: "app_uninstalled" }, null);
  }
}

/** A person in a workspace. */
export class Person {
  readonly user: UserRecord;
  readonly #world: World;
  readonly #deliver: DeliverOne;

  constructor(world: World, deliver: DeliverOne, user: UserRecord) {
    this.#world = world;
    this.#deliver = deliver;
    this.user = user;
  }

  get id(): string {
    return this.user.id;
  }

  /** The IM with an app. */
  dm(app: App): Conversation {
    return new Conversation(this.#world, this.#world.im(this.user, app.user), null, this);
  }

  /** Opens a thread in an app's assistant pane; `context`: the channel looked at meanwhile. */
  assistant(app: App, context?: Place): AssistantThread {
    return AssistantThread.open(this.#world, { person: this, app: app.record, context });
  }

  /** Types a slash command outside of threads: `/switchyard status`. The first app gets it, or the named one. */
  slash(line: string, place: Place, app?: App): Interaction {
    return runSlash(this.#world, this.#deliver, { user: this.user, line, place, app: app?.record });
  }

  /** Presses a button (or picks an option) under a message, named by its label, value or action id. */
  presses(message: MessageRef, button: string, place: Place): Interaction {
    return pressButton(this.#world, this.#deliver, { user: this.user, ts: message.ts, button, place });
  }

  /** What an app proposes for a select, named by its action id, while this person types into it. */
  searches(message: MessageRef, select: string, typed: string, place: Place): Promise<OptionObject[]> {
    return searchOptions(this.#world, this.#deliver, { user: this.user, ts: message.ts, button: select, place, typed });
  }

  /** Waits for a view an app opens for this person. */
  seesView(options: WaitOptions = {}): Promise<SeenView> {
    return viewFor(this.#world, this.#deliver, this.user, options);
  }
}
