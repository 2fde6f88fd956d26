import { expect, it } from "vitest";
import { type AccountOptions, type SupervisedAccount, superviseAccount } from "../../../src/bridge/accounts/account.ts";
import type { AdapterHost, ChannelAdapter } from "../../../src/channel/adapter.ts";
import { silentLog } from "../../support/test-store.ts";
import { ChatAdapter } from "../delivery/chat-adapter.ts";

/** One account whose adapter says what a test lets it say. */
async function supervised(sendsWithoutEvents?: () => boolean): Promise<{
  readonly account: SupervisedAccount;
  readonly says: AdapterHost["report"];
}> {
  let host: AdapterHost | null = null;
  const start = async (given: AdapterHost): Promise<void> => {
    host = given;
  };
  const adapter: ChannelAdapter = Object.assign(new ChatAdapter(), {
    start,
    stop: async () => undefined,
    ...(sendsWithoutEvents === undefined ? {} : { sendsWithoutEvents }),
  });
  const account = superviseAccount({
    descriptor: { create: async () => adapter },
    settings: { channel: "chat", accountId: "default" },
    ports: {},
    clock: { now: () => 1 },
    log: silentLog,
    onReady: () => undefined,
  } as unknown as AccountOptions);
  await account.start();
  return { account, says: (...words) => host?.report(...words) };
}

it("DL-4, FC-071: sends go while an account that needs no line for them reconnects, until one of them fails", async () => {
  const { account, says } = await supervised(() => true);
  expect([account.ready(), account.mayTry()]).toEqual([true, false]);
  says("reconnecting", "the line broke");
  expect([account.ready(), account.mayTry()]).toEqual([false, true]);
  account.noteTrouble("no answer");
  expect(account.mayTry()).toBe(false);
  says("ready");
  says("reconnecting", "the line broke again");
  expect(account.mayTry()).toBe(true);
  says("failed", "the token is refused");
  expect(account.mayTry()).toBe(false);
});

it("DL-4: an account whose sends need its line, or that was never connected, waits", async () => {
  for (const { account, says } of [await supervised(), await supervised(() => false)]) {
    says("reconnecting", "the line broke");
    expect([account.ready(), account.mayTry()]).toEqual([false, false]);
  }
});
