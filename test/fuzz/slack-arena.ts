import { startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import type { SlackMessage } from "../support/emulators/slack/records.ts";
import type { Arena } from "./arena.ts";
import { shapesOf, withIds } from "./fixtures.ts";

/** Slack: a direct chat and a channel; its answers are in threads. */
export async function slackArena(): Promise<Arena> {
  const sl = await startSlackEmulator();
  const app = sl.app({ name: "Switchyard" });
  const ann = sl.user({ name: "ann" });
  const channel = sl.channel("general", { members: [ann, app] });
  const direct = ann.dm(app);
  const there = channel.from(ann);
  const roots: SlackMessage[] = [];
  const ofBot = (messages: readonly SlackMessage[]): string[] =>
    messages.filter((message) => message.bot_id !== undefined).map(({ text }) => text);
  return {
    name: "slack",
    config: {
      botToken: app.botToken,
      appToken: app.appToken,
      apiUrl: sl.apiUrl,
      dmPolicy: "open",
      allowFrom: ["*"],
      channels: { "*": { users: ["*"] } },
      pacing: false,
    },
    shapes: shapesOf("slack", {
      U0ANN: ann.id,
      U0BOT: app.userId,
      A01APP: app.id,
      T01TEAM: sl.home.team.id,
      C0GENERAL: channel.id,
      D0ANN: direct.id,
      "1790000100": String(Math.floor(Date.now() / 1000)),
    }),
    numbered: (event, at) => {
      const ts = `${Math.floor(Date.now() / 1000)}.${String(900_000 + (at % 100_000))}`;
      const own = withIds(event, (id) => (typeof id === "string" ? ts : id), "ts");
      return withIds(own, (id) => (typeof id === "string" ? ts : id), "event_ts");
    },
    ready: () => app.connected(1, { within: 60_000 }).then(() => undefined),
    inject: (event) => {
      const payload = typeof event === "object" && event !== null && !Array.isArray(event) ? event : { event };
      // Nobody waits for its acknowledgement: an odd one may never get one.
      void sl.deliverOne(app.record, { kind: "events_api", payload, retry: 0, retryReason: null });
    },
    says: (text) => {
      direct.says(text);
      roots.push(there.says(text, { mention: app }));
    },
    shown: () => [
      ...ofBot(direct.messages()),
      ...roots.slice(-3).flatMap((root) => ofBot(channel.thread(root).messages())),
    ],
    stop: () => sl.stop(),
  };
}
