import type { Route } from "../../../src/core/delivery/delivery.ts";
import { adapterContract, type Breakage, type Said } from "../../contracts/adapter.ts";
import { type IntakeHarness, intakeContract } from "../../contracts/adapter-intake.ts";
import type { App } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import type { FaultKind } from "../../support/emulators/slack/faults.ts";
import type { SlackMessage } from "../../support/emulators/slack/records.ts";
import { FakeHost } from "../../support/fake-host.ts";
import { openTestStore } from "../../support/test-store.ts";
import { makeAdapter, routeTo, socketAccount } from "./host.ts";

/** Slack refuses no formatting of a text: whatever is no markup is shown as it is. */
const FAULTS: Readonly<Record<Breakage, FaultKind | null>> = {
  outage: { kind: "cutBefore" },
  rate_limit: { kind: "429", retryAfter: 7 },
  formatting: null,
};

async function make(): Promise<IntakeHarness> {
  const sl = await startSlackEmulator();
  const test = await openTestStore();
  const app = sl.app({ name: "Switchyard" });
  const ann = sl.user({ name: "ann" });
  const channel = sl.channel("general", { members: [ann, app] });
  const root = channel.from(ann).says("a thread begins");
  const elsewhere = sl.channel("elsewhere", { members: [ann], private: true });
  app.misses();
  const host = new FakeHost({ channel: "slack", test });
  const at = (route: Route): Channel => (route.threadId === null ? channel : channel.thread(route.threadId));
  return {
    adapter: makeAdapter(socketAccount(sl, app)),
    host,
    conversation: routeTo(channel.id),
    thread: routeTo(channel.id, root.ts),
    gone: routeTo(elsewhere.id),
    personSays: async (text, where) => {
      const place = typeof where === "object" ? at(where) : where === "thread" ? channel.thread(root) : channel;
      return said(sl, app, place, place.from(ann).says(text));
    },
    deleteThread: async (thread) => {
      channel.from(ann).deletes({ ts: thread.threadId ?? "" });
    },
    seen: async (route) =>
      at(route)
        .messages()
        .filter((message) => message.user === app.userId && message.ts !== route.threadId)
        .map((message) => ({ id: message.ts, text: message.text })),
    breakNextSend: (kind) => {
      const fault = FAULTS[kind];
      return fault !== null && sl.fails(fault, { method: "chat.postMessage" }).hits === 0;
    },
    sendsMalformed: () => app.hears({ type: "message", channel: channel.id, user: ann.id, text: "broken", ts: 5 }),
    async [Symbol.asyncDispose]() {
      await sl.stop();
      await test.dispose();
    },
  };
}

adapterContract("Slack", make);
intakeContract("Slack", make);

/** One written message, followed by the event that carries it. */
function said(sl: SlackEmulator, app: App, place: Channel, message: SlackMessage): Said {
  const until = () => sl.until(() => (app.pendingEvents === 0 ? true : undefined), { within: 8_000 });
  const settled = until().then(() => undefined);
  // Not every test waits for it.
  settled.catch(() => undefined);
  return {
    acknowledged: () => app.pendingEvents === 0,
    settled,
    async again() {
      app.hears({ ...message, channel: place.id, channel_type: "channel", event_ts: message.ts });
      await until();
    },
  };
}
