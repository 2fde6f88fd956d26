import type { AdapterHost, HostFiles } from "../../channel/adapter.ts";
import type { Suggestion } from "../../channel/capabilities.ts";
import type { AcceptResult, InboundEvent } from "../../core/message/inbound-event.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { accountValue } from "../../store/reads/upkeep/account-value.ts";
import { parkEvent } from "../../store/steps/inbound/park-event.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import type { Store } from "../../store/store.ts";
import type { Asking } from "../suggest.ts";
import { createConversationLog } from "./conversation-log.ts";

/** What all accounts share. */
export interface AccountPorts {
  readonly store: Store;
  readonly files: HostFiles;
  readonly mount: AdapterHost["mount"];
  readonly accept: (event: InboundEvent, account: AccountSettings) => Promise<AcceptResult>;
  readonly suggest: (asking: Asking, account: AccountSettings) => Promise<readonly Suggestion[]>;
  readonly moveConversation: (move: {
    readonly channel: string;
    readonly accountId: string;
    readonly from: string;
    readonly to: string;
  }) => Promise<void>;
}

/** The host of one account's adapter: the ports of the bridge, seen from that account. */
export function createAdapterHost(
  ports: AccountPorts,
  account: AccountSettings,
  own: Pick<AdapterHost, "log" | "clock" | "report"> & {
    readonly onInbound: () => void;
    readonly log: Logger;
    readonly clock: Clock;
  },
): AdapterHost {
  const { channel, accountId } = account;
  const { store } = ports;
  return {
    accountId,
    clock: own.clock,
    log: own.log,
    accept: (event) => {
      own.onInbound();
      return ports.accept(event, account);
    },
    suggest: (asking) => ports.suggest(asking, account),
    park: async (parked) => {
      own.log.error({ identity: parked.identity, error: parked.error }, "an event failed three times and is parked");
      await store.step(parkEvent, { ...parked, channel, accountId });
    },
    report: own.report,
    conversationMoved: (move) => ports.moveConversation({ channel, accountId, ...move }),
    mount: ports.mount,
    state: {
      get: (name) => store.read(accountValue, { channel, accountId, name }),
      set: (name, value) => store.step(setAccountValue, { channel, accountId, name, value }),
    },
    conversations: createConversationLog(store, channel, accountId),
    files: ports.files,
  };
}
