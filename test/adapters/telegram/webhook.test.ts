import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { create } from "../../../adapters/telegram/index.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { account, running } from "./host.ts";

const secretToken = "a-secret-of-the-webhook";
let tg: TelegramEmulator;
let host: TestHost;
let server: Server;
let base = "";

/** The product's HTTP server in small: it serves what the adapter mounted. */
async function serveMounts(): Promise<void> {
  server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const mount = [...host.mounts].find(([prefix]) => incoming.url?.startsWith(prefix) === true)?.[1];
    if (mount === undefined) return void outgoing.writeHead(404).end();
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = parts.length === 0 ? null : Buffer.concat(parts);
    const request = new Request(new URL(incoming.url ?? "/", base), {
      method: incoming.method ?? "GET",
      headers,
      body,
    });
    const response = await mount.handler(request, { loopback: true, operator: false });
    outgoing.writeHead(response.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  base = `http://127.0.0.1:${address.port}`;
}

beforeEach(async () => {
  tg = await startTelegramEmulator();
  host = new TestHost();
  await serveMounts();
});
afterEach(async () => {
  await tg.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const start = (token: string) =>
  running(
    {
      own: {
        botToken: token,
        apiRoot: tg.apiRoot,
        mode: "webhook",
        webhook: { url: `${base}/telegram/webhook/default`, secretToken },
      },
    },
    host,
  );

describe("webhook", () => {
  it("CH-3: updates come by webhook, in order, and the account is ready", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const chat = tg.user({ name: "Ann" }).dm(bot);
    await using _ = await start(bot.token);
    chat.says("one");
    chat.says("two");
    await tg.caughtUp(bot);
    expect([host.texts(), host.now]).toEqual([["one", "two"], "ready"]);
    expect(host.mounts.get("/telegram/webhook/default")?.access).toBe("public");
    expect(bot.record.updates.allowedUpdates).toContain("message_reaction");
  });

  it("CM-2, CH-6: the menu that is put up at the word `ready` finds the connection", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    const parts: { menu?: Promise<void> | undefined } = {};
    const report = host.report.bind(host);
    const adapter = create(
      account({
        own: {
          botToken: bot.token,
          apiRoot: tg.apiRoot,
          mode: "webhook",
          webhook: { url: `${base}/telegram/webhook/default`, secretToken },
        },
      }),
    );
    host.report = (state, error) => {
      report(state, error);
      const commands = [{ name: "status", description: "What goes on", arguments: [] }];
      if (state === "ready") parts.menu = adapter.capabilities.nativeCommands?.register(commands);
    };
    await adapter.start(host);
    await parts.menu;
    expect(bot.commands()?.map(({ command }) => command)).toEqual(["status"]);
    await adapter.stop();
  });

  it("CH-3: a call without the secret is refused and stores nothing", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using _ = await start(bot.token);
    const call = (headers: Record<string, string>, body: string, method = "POST") =>
      fetch(`${base}/telegram/webhook/default`, { method, headers, ...(method === "GET" ? {} : { body }) });
    const secret = { "x-telegram-bot-api-secret-token": secretToken };
    const update = JSON.stringify({ update_id: 1, message: { message_id: 1 } });
    const codes = [
      (await call({}, update)).status,
      (await call({ "x-telegram-bot-api-secret-token": `${secretToken}x` }, update)).status,
      (await call(secret, "not json")).status,
      (await call(secret, "", "GET")).status,
    ];
    expect(codes).toEqual([401, 401, 400, 405]);
    expect([host.events, host.parked]).toEqual([[], []]);
  });

  it("FC-149: 200 is said only when the update is stored, so a store that is away loses nothing", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    let failures = 2;
    host.onAccept = async () => {
      failures -= 1;
      if (failures >= 0) throw new StoreError("busy", "the disk is full", { retryable: true });
    };
    await using _ = await start(bot.token);
    tg.user({ name: "Ann" }).dm(bot).says("hello");
    await tg.caughtUp(bot);
    expect([host.texts(), host.parked, failures]).toEqual([["hello"], [], -1]);
  });

  it("IN-3: a poison event is parked and not asked for again", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using _ = await start(bot.token);
    tg.inject(bot, { message: { message_id: 3, date: 1, text: "no chat at all" } });
    await tg.caughtUp(bot);
    expect(host.parked).toHaveLength(1);
  });

  it("CH-6: after a stop nothing is taken, and Telegram keeps it for the next start", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    await using it = await start(bot.token);
    await it.adapter.stop();
    tg.user({ name: "Ann" }).dm(bot).says("later");
    await tg.until(() => (bot.record.webhook?.lastError === null ? undefined : true));
    expect(host.events).toEqual([]);
    await it.adapter.start(host);
    await tg.caughtUp(bot);
    expect(host.texts()).toEqual(["later"]);
  });

  it("CH-6: an address that Telegram refuses is for the operator, and names its setting", async () => {
    const bot = tg.bot({ username: "switchy_bot" });
    tg.fails(
      { kind: "refusal", code: 400, description: "Bad Request: bad webhook: IP address is reserved" },
      { method: "setWebhook" },
    );
    const refused = expect.stringContaining("channels.telegram.webhook.url");
    await expect(start(bot.token)).rejects.toMatchObject({ decision: "fatal", message: refused });
  });
});
