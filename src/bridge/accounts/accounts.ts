import type { ChannelAdapter } from "../../channel/adapter.ts";
import type { NativeCommand, Renderer } from "../../channel/capabilities.ts";
import type { ChannelDescriptor } from "../../channel/descriptor.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import { accountName } from "../../core/ids.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { deliveryRules } from "../../core/texts/rules.ts";
import { backoffMs } from "../../core/time.ts";
import type { DeliveryAccounts, DeliveryEvents } from "../../delivery/pacing.ts";
import { PLAIN_RENDERER } from "../../delivery/pacing.ts";
import type { AccountPorts } from "./account.ts";
import { type SupervisedAccount, superviseAccount } from "./account.ts";

/** Before a menu that could not be registered is tried again: doubling, since a refused one stays refused. */
const MENU_RETRY_MS = 3_000;
const MENU_LONGEST_MS = 3_600_000;

export interface AccountsOptions {
  readonly descriptors: readonly ChannelDescriptor[];
  readonly accounts: readonly AccountSettings[];
  readonly ports: AccountPorts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly commands: readonly NativeCommand[];
  /** An account became ready: its part of the outbox is due. */
  readonly onReady: (account: { readonly channel: ChannelId; readonly accountId: AccountId }) => void;
}

/** All accounts of this process, each under its own supervision (CH-6). */
export interface Accounts extends DeliveryAccounts {
  list(): readonly SupervisedAccount[];
  get(channel: ChannelId, accountId: AccountId): SupervisedAccount | null;
  renderer(channel: ChannelId, accountId: AccountId): Renderer | null;
  /**
   * Starts all of them; resolves when the operator's own (the chat page) have had their first try: the address that is
   * printed then must answer. A platform that is slow or away is not waited for (CH-6).
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Keeps the accounts' health true to what sending shows (CH-5). */
  readonly onDelivery: DeliveryEvents;
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { descriptors, log } = options;
  const supervised = new Map<string, SupervisedAccount>();
  const menus = new Map<string, NodeJS.Timeout>();
  let stopped = false;
  for (const settings of options.accounts) {
    const descriptor = descriptors.find((known) => known.channel === settings.channel);
    if (descriptor === undefined) throw new Error(`no adapter for channel "${settings.channel}"`);
    const account: SupervisedAccount = superviseAccount({
      ...options,
      descriptor,
      settings,
      onReady: () => {
        options.onReady(settings);
        void registerCommands(account);
      },
    });
    supervised.set(account.name, account);
  }

  /** In the background: a menu that cannot be registered never delays receiving (CH-6). It is tried again, ever more seldom. */
  async function registerCommands(account: SupervisedAccount, failures = 0): Promise<void> {
    clearTimeout(menus.get(account.name));
    try {
      await account.adapter()?.capabilities.nativeCommands?.register(options.commands);
    } catch (error) {
      const wait = backoffMs({ firstMs: MENU_RETRY_MS, longestMs: MENU_LONGEST_MS }, failures + 1);
      log.warn(
        { account: account.name, err: error },
        "the command menu could not be registered; it is tried again later",
      );
      if (stopped) return;
      const again = setTimeout(() => void (account.ready() && registerCommands(account, failures + 1)), wait);
      menus.set(account.name, again.unref());
    }
  }

  const get = (channel: ChannelId, accountId: AccountId): SupervisedAccount | null =>
    supervised.get(accountName({ channel, accountId })) ?? null;

  return {
    list: () => [...supervised.values()],
    get,
    renderer: (channel, accountId) => get(channel, accountId)?.adapter()?.renderer ?? null,
    find: (channel, accountId) => {
      const account = get(channel, accountId);
      const adapter = account?.adapter() ?? null;
      if (account === null) return null;
      const { pacing } = account.settings;
      return { adapter: adapter ?? notLoaded(account), ready: account.ready(), mayTry: account.mayTry(), pacing };
    },
    start: async () => {
      const own = [...supervised.values()].map((account) => {
        const firstTry = account.start();
        return account.descriptor.access === "operator" ? firstTry : null;
      });
      await Promise.all(own);
    },
    stop: async () => {
      stopped = true;
      for (const menu of menus.values()) clearTimeout(menu);
      await Promise.allSettled([...supervised.values()].map((account) => account.stop()));
    },
    onDelivery: (event) => {
      switch (event.type) {
        case "settled":
          if (event.state === "sent") get(event.delivery.route.channel, event.delivery.route.accountId)?.noteOutbound();
          return;
        case "account-trouble":
          get(event.channel, event.accountId)?.noteTrouble(event.reason);
          return;
        case "account-recovered":
          get(event.channel, event.accountId)?.noteTrouble(null);
          return;
        case "sending":
          return;
      }
    },
  };
}

/** Stands in until the adapter's code is there: nothing is sent through it, but what is meant for it waits (DL-4). */
function notLoaded({ settings }: SupervisedAccount): ChannelAdapter {
  return {
    channel: settings.channel,
    accountId: settings.accountId,
    renderer: PLAIN_RENDERER,
    capabilities: {},
    start: async () => undefined,
    stop: async () => undefined,
    send: async () => ({ outcome: "retry", afterMs: null, sharesLimitWith: null, reason: deliveryRules.starting }),
  };
}
