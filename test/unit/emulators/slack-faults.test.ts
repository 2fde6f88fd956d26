import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebAPIHTTPError, WebAPIRequestError, type WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import type { Conversation } from "../../support/emulators/slack/conversation.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { startRemoteSlack } from "../../support/emulators/slack/remote.ts";
import { clientOptions, SocketModeBolt, webClient } from "./slack-client.ts";

interface Delivered {
  ack: () => Promise<void>;
  retry_num: number;
  retry_reason: string;
}

describe("Slack emulator: when the platform fails", () => {
  let sl: SlackEmulator;
  let app: App;
  let ann: Person;
  let dm: Conversation;
  let client: WebClient;
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    sl = await startSlackEmulator({ ackMs: 200, retryDelaysMs: [20, 40, 80], pingMs: 50 });
    app = sl.app();
    ann = sl.user({ name: "ann" });
    dm = ann.dm(app);
    client = webClient(sl.apiUrl, app);
  });

  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
    await sl.stop();
  });

  function says(text: string): Promise<unknown> {
    return client.chat.postMessage({ channel: dm.id, text });
  }

  /** The real Bolt, connected, answering everything. */
  async function starts(options: { clientPingTimeout?: number } = {}): Promise<SocketModeBolt> {
    const client = new SocketModeBolt(sl.apiUrl, app, options);
    client.bolt.message(async ({ message, say }) => {
      if (message.subtype === undefined) await say(`got ${message.text}`);
    });
    cleanUp.push(() => client.stop());
    await client.start();
    return client;
  }

  test("429 with Retry-After hits as often as said, in the channel that was said", async () => {
    const bob = sl.user({ name: "bob" }).dm(app);
    const fault = sl.fails({ kind: "429", retryAfter: 7 }, { method: "chat.postMessage", channel: dm.id, times: 2 });
    await client.chat.postMessage({ channel: bob.id, text: "unharmed" });
    for (const text of ["1", "2"]) await expect(says(text)).rejects.toMatchObject({ retryAfter: 7 });
    await says("3");
    expect(fault.hits).toBe(2);
    expect(dm.texts()).toEqual(["3"]);
    expect(sl.calls("chat.postMessage").map((call) => call.outcome)).toEqual(["ok", "refused", "refused", "ok"]);
  });

  test("server errors, any other refusal, and text instead of JSON", async () => {
    sl.fails({ kind: "5xx" });
    await expect(says("x")).rejects.toBeInstanceOf(WebAPIHTTPError);
    sl.fails({ kind: "refusal", error: "ekm_access_denied" });
    await expect(says("x")).rejects.toMatchObject({ data: { error: "ekm_access_denied" } });
    expect(dm.texts()).toEqual([]);
    sl.fails({ kind: "garbage", body: "<html>502 Bad Gateway</html>", status: 502 });
    await expect(says("carried out")).rejects.toMatchObject({ statusCode: 502 });
    expect(dm.texts()).toEqual(["carried out"]);
  });

  test("refused and cut-before requests are not processed, cut-after ones are", async () => {
    for (const kind of ["refuse", "cutBefore", "cutAfter"] as const) {
      sl.fails({ kind }, { method: "chat.postMessage" });
      await expect(says(kind)).rejects.toBeInstanceOf(WebAPIRequestError);
    }
    expect(dm.texts()).toEqual(["cutAfter"]);
    expect(sl.calls("chat.postMessage").map((call) => call.outcome)).toEqual(["cut", "cut"]);
  });

  test("a slow answer comes after the message is there; the hook runs between the two", async () => {
    const order: string[] = [];
    sl.onAccepted((method) => void order.push(`${method} ${dm.texts().join()}`));
    sl.fails({ kind: "slow", ms: 100 }, { method: "chat.postMessage" });
    const first = says("slow answer");
    await dm.botSays({ matching: "slow answer" });
    expect(sl.calls("chat.postMessage")[0]?.answeredAt).toBeUndefined();
    await first;
    expect(order).toEqual(["chat.postMessage slow answer"]);
  });

  test("an event that is not acknowledged in time comes again, with its number and reason", async () => {
    // Bolt's App acknowledges events before anything else runs; the receiver alone leaves that to its listener.
    const { client: receiver } = new SocketModeReceiver({
      appToken: app.appToken,
      logLevel: "none" as LogLevel,
      installerOptions: { clientOptions: clientOptions(sl.apiUrl) },
    });
    const tries: unknown[] = [];
    receiver.on("slack_event", async ({ ack, retry_num, retry_reason }: Delivered) => {
      tries.push([retry_num, retry_reason]);
      if (tries.length === 3) await ack();
    });
    cleanUp.push(() => receiver.disconnect());
    await receiver.start();
    dm.says("hello");
    const event = await sl.until(() => app.record.deliveries.events.find((entry) => entry.state === "delivered"));
    expect(tries).toEqual([
      [0, ""],
      [1, "timeout"],
      [2, "timeout"],
    ]);
    const sent = app.sockets[0]?.envelopes.map((envelope) => (envelope.payload as { event_id: string }).event_id);
    expect(sent).toEqual([event.eventId, event.eventId, event.eventId]);
  });

  test("no connection: the event is tried four times and lost, history still has it", async () => {
    dm.says("lost");
    const [event] = app.record.deliveries.events;
    await sl.until(() => (event?.state === "dropped" ? true : undefined));
    expect(event?.tries).toBe(4);
    const { messages } = await client.conversations.history({ channel: dm.id });
    expect(messages?.map((message) => message.text)).toEqual(["lost"]);
  });

  test("disconnect frames make the client open a new connection; nothing is lost on the way", async () => {
    await starts();
    for (const reason of ["warning", "refresh_requested"] as const) {
      const [before] = app.sockets;
      before?.disconnects(reason);
      await sl.until(() => (before?.isOpen === false && app.sockets.length === 1 ? true : undefined));
      dm.says(reason);
      await dm.botSays({ matching: `got ${reason}` });
    }
    app.sockets[0]?.cuts();
    dm.says("after the cut");
    await dm.botSays({ matching: "got after the cut" });
  });

  test("trouble before hello: a refused handshake, a cut, a disconnect frame; the next attempt may succeed", async () => {
    app.breaksNextSocket(
      { kind: "refuse", status: 503 },
      { kind: "cut" },
      { kind: "disconnectBeforeHello", reason: "too_many_websockets" },
    );
    await starts();
    expect(sl.calls("apps.connections.open")).toHaveLength(4);
    expect(app.sockets).toHaveLength(1);
  });

  test("ten connections share the events, an eleventh is turned away before hello", async () => {
    const urls = await Promise.all(
      Array.from({ length: 11 }, async () => {
        const opened = await client.apps.connections.open({ token: app.appToken });
        return opened.url ?? "";
      }),
    );
    const frames: Record<string, unknown>[] = [];
    const sockets = urls.map((url) => {
      const socket = new WebSocket(url);
      socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data))));
      return socket;
    });
    await expect.poll(() => frames.length).toBe(11);
    expect(frames.filter((frame) => frame.type === "hello").map((frame) => frame.num_connections)).toHaveLength(10);
    expect(frames.find((frame) => frame.type === "disconnect")).toMatchObject({ reason: "too_many_websockets" });
    for (let i = 0; i < 10; i += 1) dm.says(`${i}`);
    await expect.poll(() => app.sockets.every((socket) => socket.envelopes.length >= 1)).toBe(true);
    for (const socket of sockets) socket.close();
    const used = new WebSocket(urls[0] ?? "");
    await new Promise((resolve) => used.addEventListener("error", resolve));
  });

  test("a half-open connection: pings stop, the client notices and reconnects, the event comes again", async () => {
    await starts({ clientPingTimeout: 150 });
    const [silent] = app.sockets;
    await sl.until(() => ((silent?.pongs ?? 0) > 0 ? true : undefined));
    silent?.silences();
    dm.says("into the void");
    await dm.botSays({ matching: "got into the void" });
    expect(app.sockets.some((socket) => socket !== silent)).toBe(true);
  });

  test("the platform goes down and comes back on the same port, with everything people wrote meanwhile", async () => {
    const url = sl.apiUrl;
    await starts();
    await sl.stop();
    await expect(client.auth.test()).rejects.toBeInstanceOf(WebAPIRequestError);
    dm.says("while down");
    await sl.start();
    expect(sl.apiUrl).toBe(url);
    expect((await dm.botSays()).text).toBe("got while down");
  });

  test("in a process of its own it is driven by its parent, up to holding a request back before its answer", async () => {
    const remote = await startRemoteSlack({ keepCalls: 1000 });
    try {
      const made = await remote.do("app", { name: "Far" });
      const user = (await remote.do("user", { name: "ann" })).id;
      const place = { app: made.id, user };
      const far = new SocketModeBolt(remote.url, made);
      far.bolt.message(async ({ message, say }) => {
        if (message.subtype === undefined) await say(`far ${message.text}`);
      });
      cleanUp.push(() => far.stop());
      await far.start();
      await remote.do("connected", { app: made.id });
      await remote.hold("chat.postMessage");
      await remote.do("says", { place, text: "hello" });
      const held = await remote.held();
      expect(held).toMatchObject({ method: "chat.postMessage", params: { text: "far hello" } });
      expect((await remote.do("calls", { method: "chat.postMessage" }))[0]?.answeredAt).toBeUndefined();
      await remote.release(held);
      expect(await remote.do("botSays", { place })).toMatchObject({ text: "far hello" });
      const { sent, sinceSeq } = await remote.do("load", { places: [place], count: 20, perSecond: 400 });
      expect(sent).toBe(20);
      await expect
        .poll(async () => (await remote.do("latencies", { places: [place], sinceSeq })).answered, { timeout: 5000 })
        .toBe(20);
      const loop = await remote.do("closedLoop", { places: [place], rounds: 3 });
      expect(loop.messages).toBe(3);
      await expect(remote.do("says", { place: { channel: "C1" }, text: "x" })).rejects.toThrow("no conversation C1");
    } finally {
      await remote.close();
    }
  });

  test("without a parent that speaks IPC it takes commands as lines and ends with its input", async () => {
    const script = fileURLToPath(new URL("../../support/emulators/slack/serve.ts", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
    expect(await next()).toEqual({
      event: "listening",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/$/),
    });
    child.stdin.write(`${JSON.stringify({ id: 1, op: "dance" })}\n`);
    expect(await next()).toEqual({ id: 1, error: "there is no operation dance" });
    const ended = once(child, "exit");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });
});
