import { channels } from "../../../adapters/index.ts";
import type { Tree } from "../../../config/load/faults.ts";
import { createAccept } from "../../../src/bridge/accept/accept.ts";
import type { AcceptDeps } from "../../../src/bridge/accept/arrival.ts";
import type { AcceptResult, InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { InboxItem } from "../../../src/core/message/inbox-item.ts";
import type { AccountSettings, Settings } from "../../../src/core/settings.ts";
import { createLocalTime } from "../../../src/core/time.ts";
import { inboxItemFromRow, sessionFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { testSettings } from "../../support/test-settings.ts";
import { silentLog, type TestStore } from "../../support/test-store.ts";

const names = new Map([
  ["stop", "stop"],
  ["status", "status"],
  ["think", "think"],
  ["t", "think"],
  ["export-session", "export-session"],
]);

const everyInput = defineRead("every-input", async (db, _: null) =>
  (await db.selectFrom("inbox").selectAll().orderBy("seq").execute()).map(inboxItemFromRow),
);
const everySession = defineRead("every-session", async (db, _: null) =>
  (await db.selectFrom("sessions").selectAll().orderBy("key").execute()).map(sessionFromRow),
);
const everyEvent = defineRead("every-event", (db, _: null) =>
  db.selectFrom("inbound_events").selectAll().orderBy("received_at").orderBy("identity").execute(),
);
const everyDelivery = defineRead("every-delivery", (db, _: null) =>
  db.selectFrom("deliveries").selectAll().orderBy("id").execute(),
);
const everyFailure = defineRead("every-failure", (db, _: null) => db.selectFrom("failures").selectAll().execute());

/** The real way in over a real store: what a test offers, and what is stored then. */
export class Door {
  readonly test: TestStore;
  readonly work: string[] = [];
  settings: Settings;
  deps: AcceptDeps;
  readonly #accept: (event: InboundEvent, account: AccountSettings, heldAt?: number) => Promise<AcceptResult>;

  constructor(test: TestStore, config: Tree = {}, deps: Partial<AcceptDeps> = {}) {
    this.test = test;
    this.settings = testSettings(config);
    test.store.onWork((task, key, at) => this.work.push(at === undefined ? `${task} ${key}` : `${task} ${key} @${at}`));
    this.deps = {
      store: test.store,
      clock: test.clock,
      log: silentLog,
      settings: () => this.settings,
      door: (channel) => channels.find((known) => known.channel === channel) ?? { access: "policies", places: null },
      localTime: createLocalTime(),
      commandLine: { exact: "switchyard", shown: "switchyard" },
      commandNames: names,
      startsWork: () => false,
      clockAheadMs: () => 0,
      renderNotice: (_account, text) => ({ rich: text, plain: text }),
      ...deps,
    };
    this.#accept = createAccept(this.deps);
  }

  offer(sketch: EventSketch | InboundEvent = {}, heldAt?: number): Promise<AcceptResult> {
    const event = "identity" in sketch ? sketch : sketchEvent({ sentAt: this.test.clock.now(), ...sketch });
    const account = this.settings.accounts.find(
      (known) => known.channel === event.route.channel && known.accountId === event.accountId,
    );
    if (account === undefined) throw new Error(`no account for ${event.route.channel}/${event.accountId}`);
    return this.#accept(event, account, heldAt);
  }

  inputs(): Promise<readonly InboxItem[]> {
    return this.test.store.read(everyInput, null);
  }
  sessions() {
    return this.test.store.read(everySession, null);
  }
  events() {
    return this.test.store.read(everyEvent, null);
  }
  deliveries() {
    return this.test.store.read(everyDelivery, null);
  }
  failures() {
    return this.test.store.read(everyFailure, null);
  }
}

/** The event payload of an input; fails on any other kind. */
export function messageOf(item: InboxItem | undefined) {
  if (item?.payload.kind !== "event") throw new Error(`no message: ${JSON.stringify(item)}`);
  return item.payload;
}

const telegram = { botToken: "9:test-token", allowFrom: ["111"], groups: { "-100555": { requireMention: true } } };
/** Ann (111) may write; one group is listed and needs a mention. */
export const doorConfig: Tree = { channels: { telegram } };
export const group = { kind: "group", id: "-100555", label: "Ops" } as const;
export const annKey = "agent:main:telegram:direct:111";
export const groupKey = "agent:main:telegram:group:-100555";
