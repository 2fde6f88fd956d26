import { afterEach, describe, expect, test } from "vitest";
import type { NewDelivery } from "../../../src/core/delivery/delivery.ts";
import { conversationKey } from "../../../src/core/delivery/delivery.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { retryDelivery } from "../../../src/store/steps/delivery/retry-delivery.ts";
import { settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import type { Store } from "../../../src/store/store.ts";
import { type CliScene, cliScene } from "../../support/cli-scene.ts";
import { seedDelivery, seedRefusal } from "../../support/store-seeds.ts";

const SECRET = "configured-secret-1";
const scenes: CliScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close();
});

function scene(config: object = {}): CliScene {
  const made = cliScene({ http: { token: SECRET }, ...config });
  scenes.push(made);
  return made;
}

const route = { channel: "telegram", accountId: "default", to: "111", threadId: null };

function message(key: string, text: string, to = "111"): NewDelivery {
  const content = { kind: "message", piece: { rich: text, plain: text }, replyTo: null, private: false } as const;
  return { key, route: { ...route, to }, content };
}

async function seedSent(store: Store, delivery: NewDelivery, messageId: string): Promise<number> {
  const id = await store.step(seedDelivery, { delivery, state: "pending", reason: null });
  await store.step(claimDelivery, id);
  const settlement = { state: "sent", messageIds: [messageId] } as const;
  await store.step(settleDelivery, { id, conversation: conversationKey(delivery.route), settlement });
  return id;
}

describe("IN-17: switchyard why", () => {
  test("shows what happened to a message, by which configuration key, and where it came from", async () => {
    const at = scene();
    const store = await at.serve();
    await store.step(seedRefusal, "https://t.me/c/1/5");
    const { out, exitCode } = await at.run("why", "https://t.me/c/1/5");
    expect(exitCode).toBe(0);
    expect(out).toBe(
      [
        "Message 5: refused; nothing was started",
        "  became     refused",
        "  by         channels.telegram.allowFrom",
        "  came from  111 in telegram/default 111, 2027-01-01 00:00:00.000",
        "  link       https://t.me/c/1/5",
      ].join("\n"),
    );
  });

  test.each([
    ["with a query", "https://t.me/c/1/5", "https://t.me/c/1/5?single"],
    ["to a page of its own", "/web/c/operator#p-1", "http://127.0.0.1:4180/web/c/operator#p-1"],
  ])("takes a link as people paste it: %s", async (_how, link, pasted) => {
    const at = scene();
    const store = await at.serve();
    await store.step(seedRefusal, link);
    expect((await at.run("why", pasted)).out).toContain("by         channels.telegram.allowFrom");
  });

  test("an id that several messages have lists them, by what names each, and ends with 1", async () => {
    const at = scene();
    const store = await at.serve();
    await store.step(seedRefusal, "telegram:111/5");
    await seedSent(store, message("turn:a:0", "Hello", "222"), "5");
    const { out, exitCode } = await at.run("why", "5");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/telegram:111\/5 .* received [\s\S]*telegram:222\/5 .* sent /);
    expect((await at.run("why", "telegram:222/5")).out).toContain("Delivery 1: sent as message 5");
  });

  test("of a message that was sent it tells why it went there, and no secret", async () => {
    const at = scene();
    const store = await at.serve();
    const id = await seedSent(store, message("notice:telegram/1/111/5", `It is ${SECRET}.`), "7");
    const { out } = await at.run("why", "telegram:111/7");
    expect(out).toContain(`Delivery ${id}: sent as message 7`);
    expect(out).toContain("because  the conversation of the message it replies to");
    expect(out).not.toContain(SECRET);
    expect((await at.run("why", "telegram:111/7", "--json")).out).not.toContain(SECRET);
  });

  test("of a message that never arrived it says so, with the accounts and what keeps one from arriving", async () => {
    const at = scene({ channels: { telegram: { botToken: "9:test-token" } } });
    await at.serve();
    const result = await at.run("why", "https://t.me/c/1/2");
    expect(result.exitCode).toBe(1);
    expect(result.err).toContain(
      'nothing is known about "https://t.me/c/1/2"\nIt never arrived, or its record has expired.',
    );
    expect(result.err).toContain("  telegram/default: ready");
    expect(result.err).toContain("privacy mode");
    const elsewhere = await at.run("why", "https://acme.slack.com/archives/C1/p1798761600000100");
    expect(elsewhere.err).toContain("It never arrived: no slack account is configured (channels.slack).");
    const old = await at.run("why", "https://acme.slack.com/archives/C1/p1698761600000100");
    expect(old.err).toContain("It was written on 2023-10-31 14:13:20.000 UTC. Its record has expired.");
  });

  test("of words that name no message it says what does, on the platforms in use", async () => {
    const at = scene({ channels: { telegram: { botToken: "9:test-token" } } });
    await at.serve();
    const { err, exitCode } = await at.run("why", "yesterday");
    expect(exitCode).toBe(1);
    expect(err).toContain("Enter a message link as the platform copies it");
    expect(err).toContain("https://t.me/c/<chat>/<message>");
    expect(err).not.toContain("discord.com");
  });
});

describe("DL-16: switchyard deliveries show", () => {
  test("tells every try, the reason, what can be done and the text, with secrets masked", async () => {
    const at = scene();
    const store = await at.serve();
    const id = await store.step(seedDelivery, {
      delivery: message("k", `Use ${SECRET}`),
      state: "pending",
      reason: null,
    });
    for (const reason of [`refused: ${SECRET}`, "refused again"]) {
      await store.step(claimDelivery, id);
      const settlement = { state: "failed", reason } as const;
      await store.step(settleDelivery, { id, conversation: conversationKey(route), settlement });
      if (reason !== "refused again") await store.step(retryDelivery, id);
    }
    const { out } = await at.run("deliveries", "show", String(id));
    expect(out).toMatch(/try 1: failed permanently after 0 ms; refused: \[redacted/);
    expect(out).toContain("retried by the operator");
    expect(out).toContain("reason   refused again");
    expect(out).toContain(`do       switchyard deliveries retry ${id}, or dismiss ${id}`);
    expect(out).toMatch(/ {2}text\n {4}Use \[redacted/);
    const json = (await at.run("deliveries", "show", String(id), "--json")).out;
    expect(JSON.parse(json)).toMatchObject({ kind: "delivery", acts: [{ act: "failed" }, { act: "retried" }, {}] });
    expect(out + json + (await at.run("deliveries", "--json")).out).not.toContain(SECRET);
  });

  test("DL-13: the list is narrowed by state, channel, place and time, and says when nothing is like that", async () => {
    const at = scene();
    const store = await at.serve();
    await seedSent(store, message("a", "first"), "1");
    at.clock.advance(3_600_000);
    await store.step(seedDelivery, { delivery: message("b", "second", "222"), state: "failed", reason: "gone" });
    const ids = async (...args: readonly string[]): Promise<readonly number[]> =>
      (JSON.parse((await at.run("deliveries", ...args, "--json")).out) as { id: number }[]).map(({ id }) => id);
    expect(await ids()).toEqual([2, 1]);
    expect(await ids("--state", "sent")).toEqual([1]);
    expect(await ids("--to", "222")).toEqual([2]);
    expect(await ids("--since", "20m")).toEqual([2]);
    expect(await ids("--channel", "telegram", "--account", "default")).toEqual([2, 1]);
    expect((await at.run("deliveries", "--channel", "slack")).out).toBe("No delivery matches.");
    expect((await at.run("deliveries", "--state", "lost")).exitCode).toBe(2);
    expect((await at.run("deliveries", "show", "9")).err).toContain("there is no delivery 9");
  });

  test("DL-13: a time longer ago than any is no time, also while no process runs", async () => {
    const { err, exitCode } = await scene().run("deliveries", "--since", "99999999999999999999d");
    expect(exitCode).not.toBe(0);
    expect(err).toContain("Use a time such as 20m, 2h or 3d.");
  });
});
