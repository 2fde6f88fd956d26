import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../../src/core/errors.ts";
import { TestHost } from "../../support/adapter-host.ts";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Channel } from "../../support/emulators/slack/channels.ts";
import {
  type EmulatorOptions,
  type SlackEmulator,
  startSlackEmulator,
} from "../../support/emulators/slack/emulator.ts";
import { account, makeAdapter, routeTo, running, send, socketAccount, words } from "./host.ts";

let sl: SlackEmulator;
let app: App;
let ann: Person;
let channel: Channel;

async function platform(options: EmulatorOptions = {}): Promise<void> {
  sl = await startSlackEmulator(options);
  app = sl.app({ name: "Switchyard", assistant: true });
  ann = sl.user({ name: "ann" });
  channel = sl.channel("general", { members: [ann, app] });
}

beforeEach(() => platform());
afterEach(() => sl.stop());

describe("acknowledging", () => {
  it("IN-3: an envelope whose commit takes too long is not acknowledged; Slack sends it again and it runs once", async () => {
    const host = new TestHost();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    host.onAccept = () => gate;
    await using _ = await running(socketAccount(sl, app), host);
    channel.from(ann).says("slow");
    await sl.until(() => ((app.sockets[0]?.envelopes.length ?? 0) > 1 ? true : undefined), { within: 8_000 });
    expect(app.sockets[0]?.acks).toEqual([]);
    open();
    await sl.caughtUp(app);
    expect(host.texts()).toEqual(["slow"]);
    expect(app.sockets[0]?.acks).toEqual([app.sockets[0]?.envelopes.at(-1)?.envelope_id]);
  });

  it("IN-3: what comes again while its first arrival waits joins it, so that a burst is not kept in copies", async () => {
    await sl.stop();
    await platform({ ackMs: 50, retryDelaysMs: [10, 10] });
    const host = new TestHost();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const offered: string[] = [];
    host.onAccept = ({ text }) => {
      offered.push(text);
      return gate;
    };
    await using _ = await running(socketAccount(sl, app), host);
    channel.from(ann).says("slow");
    await sl.until(() => (app.sockets[0]?.envelopes.length === 3 ? true : undefined), { within: 8_000 });
    channel.from(ann).says("behind it");
    open();
    await host.until(() => host.texts().includes("behind it"), "what was said behind it");
    expect(host.texts()).toEqual(["slow", "behind it"]);
    expect(offered.filter((text) => text === "slow")).toEqual(["slow"]);
  });

  it("FC-068, FC-069: one post as message and mention, in either order, is one event that mentions the bot", async () => {
    await using run = await running(socketAccount(sl, app));
    channel.from(ann).says("one", { mention: app });
    channel.from(ann).says("two", { mention: app, order: "mention-first" });
    await sl.caughtUp(app);
    expect(run.host.texts()).toEqual(["one", "two"]);
    expect(run.host.events.every((event) => event.mentions.bot && event.sender.name === "ann")).toBe(true);
  });

  it("FC-062: a slash command is acknowledged before it is stored, and unknown ones are acknowledged too", async () => {
    const host = new TestHost();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    host.onAccept = () => gate;
    await using _ = await running(socketAccount(sl, app), host);
    expect((await ann.slash("/switchyard stop now", channel).outcome).kind).toBe("acknowledged");
    expect(host.events).toEqual([]);
    open();
    await host.until(() => host.events.length === 1, "the command");
    expect(host.events[0]).toMatchObject({ command: { name: "stop", args: "now" }, peer: { id: channel.id } });
    app.sockets[0]?.sends({ type: "some_news", envelope_id: "e-new", payload: {} });
    await sl.until(() => (app.sockets[0]?.acks.includes("e-new") === true ? true : undefined));
  });

  it("IN-3: a poison event is parked after three tries and acknowledged; the next one is not held up", async () => {
    await using run = await running(socketAccount(sl, app));
    app.hears({ type: "message", channel: channel.id, user: ann.id, text: "broken", ts: 5 });
    channel.from(ann).says("fine");
    await sl.caughtUp(app);
    expect(run.host.texts()).toEqual(["fine"]);
    expect(run.host.parked).toMatchObject([{ error: expect.stringContaining("malformed at ts") }]);
  });

  it("FC-080: the bot's own words, its edits and link previews start nothing", async () => {
    await using run = await running(socketAccount(sl, app));
    const said = channel.from(ann).says("see https://example.com/");
    await sl.caughtUp(app);
    channel.from(ann).unfurls(said);
    const { adapter } = run;
    const sent = { kind: "message", piece: { rich: "a", plain: "a" }, replyTo: null, private: false } as const;
    const { delivery, routeTo, sentIds } = await import("./host.ts");
    const ids = sentIds(await adapter.send(delivery(routeTo(channel.id), sent), AbortSignal.timeout(5_000)));
    await adapter.capabilities.edits?.preview(
      routeTo(channel.id),
      ids[0] ?? "",
      { rich: "b", plain: "b" },
      AbortSignal.timeout(5_000),
    );
    await sl.caughtUp(app);
    expect(run.host.texts()).toEqual(["see https://example.com/"]);
  });
});

describe("the connection", () => {
  it("IN-3, FC-070: a stop does not wait for ever for an event whose commit hangs", async () => {
    const host = new TestHost();
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    host.onAccept = () => {
      held();
      return new Promise(() => undefined);
    };
    const { adapter } = await running(socketAccount(sl, app), host);
    channel.from(ann).says("held");
    await isHeld;
    const begun = performance.now();
    await adapter.stop();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(host.lines.some(({ text }) => text.includes("the stop does not wait for it"))).toBe(true);
  });

  it("CH-2: a thread opened in the assistant's pane offers ways to begin", async () => {
    await using _ = await running(socketAccount(sl, app));
    const pane = ann.assistant(app);
    const call = await sl.called("assistant.threads.setSuggestedPrompts");
    expect(call).toMatchObject({ args: { thread_ts: pane.threadTs } });
  });

  it.each(["disconnectBeforeHello", "cut", "refuse"] as const)(
    "FC-143: %s before hello is tried again",
    async (kind) => {
      const fault = kind === "disconnectBeforeHello" ? ({ kind, reason: "too_many_websockets" } as const) : { kind };
      const adapter = makeAdapter(socketAccount(sl, app));
      app.breaksNextSocket(fault);
      await expect(adapter.start(new TestHost())).rejects.toMatchObject({ decision: "retry" });
      await using run = await running(socketAccount(sl, app));
      app.breaksNextSocket(fault, fault);
      app.sockets[0]?.disconnects("refresh_requested");
      await run.host.untilState("reconnecting");
      await run.host.untilState("ready");
      channel.from(ann).says("again here");
      await run.host.until(() => run.host.texts().includes("again here"), "the message");
      await adapter.stop();
    },
  );

  it("FC-143: a frame without its event ends nothing", async () => {
    await using run = await running(socketAccount(sl, app));
    app.sockets[0]?.sends({ type: "events_api", envelope_id: "e1", payload: {} });
    app.sockets[0]?.sends("no json");
    channel.from(ann).says("still here");
    await run.host.until(() => run.host.texts().includes("still here"), "the message");
  });

  it("FC-073: a connection renewed by Slack is replaced without a word, and never are there two", async () => {
    await using run = await running(socketAccount(sl, app));
    const first = app.sockets[0];
    first?.disconnects("refresh_requested");
    await sl.until(() => (app.sockets.length === 1 && app.sockets[0] !== first ? true : undefined));
    expect(run.host.states.map(({ state }) => state)).toEqual(["ready"]);
  });

  it("IN-14: what was said while the connection was away is read from the history, in channels, threads and DMs", async () => {
    await using run = await running(socketAccount(sl, app));
    const root = channel.from(ann).says("root");
    const quiet = channel.from(ann).says("nobody answered yet");
    channel.thread(root).from(ann).says("reply");
    ann.dm(app).says("in private");
    await sl.caughtUp(app);
    await sl.stop();
    await run.host.untilState("reconnecting");
    channel.from(ann).says("missed", { mention: app });
    channel.thread(root).from(ann).says("missed in the thread");
    channel.thread(quiet).from(ann).says("the first reply is missed");
    ann.dm(app).says("missed in private");
    app.misses();
    await sl.start();
    await run.host.until(() => run.host.events.length === 8, "what was missed", 15_000);
    const missed = run.host.events.slice(4);
    expect(missed.map((event) => event.text).sort()).toEqual([
      "missed",
      "missed in private",
      "missed in the thread",
      "the first reply is missed",
    ]);
    expect(missed.find((event) => event.text === "missed in the thread")?.route.threadId).toBe(root.ts);
    expect(missed.find((event) => event.text === "missed in private")?.peer).toMatchObject({
      kind: "direct",
      id: ann.id,
    });
    expect(missed.find((event) => event.text === "missed")?.mentions.bot).toBe(true);
  });

  it("IN-14: a restart knows how far each conversation was read, and which threads are the assistant's", async () => {
    const stored = new Map<string, string>();
    const first = await running(socketAccount(sl, app), new TestHost("default", stored));
    channel.from(ann).says("before");
    const pane = ann.assistant(app);
    pane.says("in the pane");
    await sl.caughtUp(app);
    await first.adapter.stop();
    channel.from(ann).says("meanwhile");
    pane.says("meanwhile in the pane");
    app.misses();
    await using run = await running(socketAccount(sl, app), new TestHost("default", stored));
    await run.host.until(() => run.host.events.length >= 2, "what was missed");
    expect(run.host.texts().sort()).toEqual(["meanwhile", "meanwhile in the pane"]);
    const [inPane] = run.host.events.filter((event) => event.text.endsWith("pane"));
    expect(inPane?.thread).toMatchObject({ kind: "thread", id: pane.threadTs });
  });

  it("IN-14: a new conversation is noted at once: after a death only known ones are asked about", async () => {
    const stored = new Map<string, string>();
    await using run = await running(socketAccount(sl, app), new TestHost("default", stored));
    const direct = ann.dm(app);
    direct.says("the first word");
    await sl.caughtUp(app);
    const isNoted = () => [...stored.values()].some((text) => text.includes(direct.id));
    await run.host.until(isNoted, "the place noted", 1_500);
  });

  it("CH-6: a refused token is fatal and names its setting; a revoked one ends the account", async () => {
    const wrong = account({ botToken: "xoxb-wrong-token", appToken: app.appToken, apiUrl: sl.apiUrl });
    await expect(makeAdapter(wrong).start(new TestHost())).rejects.toMatchObject({
      decision: "fatal",
      message: expect.stringContaining("channels.slack.botToken"),
    });
    const wrongApp = account({ botToken: app.botToken, appToken: "xapp-wrong", apiUrl: sl.apiUrl });
    await expect(makeAdapter(wrongApp).start(new TestHost())).rejects.toMatchObject({
      decision: "fatal",
      message: expect.stringContaining("channels.slack.appToken"),
    });
    await using run = await running(socketAccount(sl, app));
    app.isRevoked();
    await run.host.untilState("failed");
  });
});

describe("events over HTTP", () => {
  const signed = (body: string, { secret = app.signingSecret, age = 0, type = "application/json" } = {}): Request => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age);
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
    const headers = { "content-type": type, "x-slack-request-timestamp": timestamp, "x-slack-signature": signature };
    return new Request("http://127.0.0.1/slack/events", { method: "POST", headers, body });
  };
  const httpAccount = () =>
    account({ botToken: app.botToken, signingSecret: app.signingSecret, mode: "http", apiUrl: sl.apiUrl });
  const event = (text: string, ts = "1790000100.000200"): string =>
    JSON.stringify({
      type: "event_callback",
      team_id: "T1",
      event: { type: "message", channel: channel.id, channel_type: "channel", user: ann.id, text, ts },
    });
  const facts = { loopback: true, operator: false };

  it("CH-2: a signed event is stored and then answered; the challenge is answered; the mount is public", async () => {
    await using run = await running(httpAccount());
    const mount = run.host.mounts.get("/slack/events");
    expect(mount?.access).toBe("public");
    expect(run.host.now).toBe("ready");
    const challenge = await mount?.handler(signed('{"type":"url_verification","challenge":"abc"}'), facts);
    expect(await challenge?.json()).toEqual({ challenge: "abc" });
    expect((await mount?.handler(signed(event("hello")), facts))?.status).toBe(200);
    expect(run.host.texts()).toEqual(["hello"]);
  });

  it("CH-5, CH-6: what is sent at the word `ready` finds the connection", async () => {
    const host = new TestHost();
    const adapter = makeAdapter(httpAccount());
    const report = host.report.bind(host);
    let sent: ReturnType<typeof send> | undefined;
    host.report = (state, error) => {
      report(state, error);
      if (state === "ready") sent ??= send(adapter, routeTo(channel.id), words("at once"));
    };
    await adapter.start(host);
    expect(await sent).toMatchObject({ outcome: "sent" });
    await adapter.stop();
  });

  it.each([2_400, -2_400])(
    "FC-320: with a clock that is %d s off, signatures are judged by Slack's clock",
    async (ahead) => {
      sl.skews(-ahead * 1_000);
      await using run = await running(httpAccount());
      const handler = run.host.mounts.get("/slack/events")?.handler;
      expect((await handler?.(signed(event("now, in Slack's time"), { age: ahead }), facts))?.status).toBe(200);
      expect((await handler?.(signed(event("by this machine's clock"), { age: 0 }), facts))?.status).toBe(401);
      expect((await handler?.(signed(event("old"), { age: ahead + 301 }), facts))?.status).toBe(401);
    },
  );

  it("CH-2: a wrong, missing or old signature is refused, and so is a body that was changed", async () => {
    await using run = await running(httpAccount());
    const handler = run.host.mounts.get("/slack/events")?.handler;
    const changed = new Request(signed(event("a")), { body: event("b"), method: "POST" });
    const bare = new Request("http://127.0.0.1/slack/events", { method: "POST", body: event("a") });
    for (const request of [
      signed(event("a"), { secret: "another-secret" }),
      signed(event("a"), { age: 301 }),
      signed(event("a"), { age: -400 }),
      changed,
      bare,
    ]) {
      expect((await handler?.(request, facts))?.status).toBe(401);
    }
    expect((await handler?.(signed(event("in time"), { age: 290 }), facts))?.status).toBe(200);
    expect((await handler?.(signed("no json"), facts))?.status).toBe(400);
    expect(run.host.texts()).toEqual(["in time"]);
  });

  it("IN-3: an event that is not stored in time is answered with 503, and stands once in the end", async () => {
    await using run = await running(httpAccount());
    const handler = run.host.mounts.get("/slack/events")?.handler;
    let away = true;
    run.host.onAccept = async () => {
      if (away) throw new StoreError("store_busy", "away", { retryable: true });
    };
    expect((await handler?.(signed(event("later")), facts))?.status).toBe(503);
    expect(run.host.now).toBe("degraded");
    away = false;
    expect((await handler?.(signed(event("later")), facts))?.status).toBe(200);
    expect(run.host.texts()).toEqual(["later"]);
    await run.host.untilState("ready");
  });

  it("CM-3: a slash command as a form is answered at once", async () => {
    await using run = await running(httpAccount());
    const handler = run.host.mounts.get("/slack/events")?.handler;
    const form = new URLSearchParams({
      command: "/switchyard",
      text: "status",
      user_id: ann.id,
      user_name: "ann",
      channel_id: channel.id,
      trigger_id: "1.2",
    });
    const type = "application/x-www-form-urlencoded";
    const answer = await handler?.(signed(form.toString(), { type }), facts);
    expect([answer?.status, await answer?.text()]).toEqual([200, ""]);
    await run.host.until(() => run.host.events.length === 1, "the command");
    expect(run.host.events[0]?.command).toMatchObject({ name: "status" });
  });
});
