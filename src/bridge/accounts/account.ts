import type { AccountHealth, AccountState, AdapterHost, ChannelAdapter, HostFiles } from "../../channel/adapter.ts";
import type { Suggestion } from "../../channel/capabilities.ts";
import type { ChannelDescriptor } from "../../channel/descriptor.ts";
import { createPlatformClock, type PlatformClock } from "../../channel/platform-clock.ts";
import { ChannelError } from "../../core/errors.ts";
import { accountName } from "../../core/ids.ts";
import type { AcceptResult, InboundEvent } from "../../core/message/inbound-event.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { backoffMs } from "../../core/time.ts";
import { accountValue } from "../../store/reads/upkeep/account-value.ts";
import { parkEvent } from "../../store/steps/inbound/park-event.ts";
import { setAccountValue } from "../../store/steps/upkeep/set-account-value.ts";
import type { Store } from "../../store/store.ts";
import type { Asking } from "../accept/accept.ts";
import { createConversationLog } from "./conversation-log.ts";

/** CH-6: between two tries to start an account. So short because the account must be back within 10 s after the cause ends (CH-5). */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 4_000;
/** When only the operator can help: their change at the platform must be noticed within 10 s, too. */
const OPERATOR_RETRY_MS = 6_000;

export interface SupervisedAccount {
  readonly descriptor: ChannelDescriptor;
  readonly settings: AccountSettings;
  readonly name: string;
  /** null until the adapter's code is loaded. */
  adapter(): ChannelAdapter | null;
  /** Something may be sent through it now. */
  ready(): boolean;
  /** It is reconnecting, but what is sent goes another way than events, and nothing sent has failed since (FC-071). */
  mayTry(): boolean;
  health(): AccountHealth;
  /** The platform's own time (FC-320). */
  readonly platformClock: PlatformClock;
  /** Resolves after the first try, however it ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Something was sent, or sending got into trouble or out of it. */
  noteOutbound(): void;
  noteTrouble(reason: string | null): void;
}

export interface AccountOptions {
  readonly descriptor: ChannelDescriptor;
  readonly settings: AccountSettings;
  readonly ports: AccountPorts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when the account becomes ready: what waited for it may go. */
  readonly onReady: () => void;
}

/**
 * One account and its one connection (CH-6): built, started, and when it cannot start or dies tried again with backoff,
 * without touching any other account. It is `reconnecting` while trying again may help, `failed` while only the operator can
 * (a refused token); between the tries nothing changes, so that the log has one line per change of state.
 */
export function superviseAccount(options: AccountOptions): SupervisedAccount {
  const { descriptor, settings, clock } = options;
  const name = accountName(settings);
  const log = options.log.child({ account: name });
  let adapter: ChannelAdapter | null = null;
  let health: AccountHealth = {
    state: "starting",
    since: clock.now(),
    lastInboundAt: null,
    lastOutboundAt: null,
    lastError: null,
    clockAheadMs: 0,
  };
  const platformClock = createPlatformClock({ clock, onSkew: (aheadMs) => noteSkew(log, aheadMs) });
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  /** What was sent last met a network or a platform that did not answer; only a line that is back shows that it may again. */
  let sendsFail = false;
  let starting: Promise<void> | null = null;

  function report(state: AccountState, error?: string): void {
    const changed = health.state !== state;
    health = {
      ...health,
      state,
      since: changed ? clock.now() : health.since,
      lastError: error ?? (state === "ready" ? null : health.lastError),
    };
    if (!changed) return;
    if (state === "ready") {
      sendsFail = false;
      options.onReady();
    }
    log[state === "ready" || state === "starting" ? "info" : "warn"]({ state, reason: error }, `account is ${state}`);
  }

  const host = createAdapterHost(options.ports, settings, {
    log,
    clock,
    platformClock,
    report: (state, error) => {
      report(state, error);
      if (state === "failed" && starting === null) tryAgainIn(OPERATOR_RETRY_MS, 1);
    },
    onInbound: () => {
      health = { ...health, lastInboundAt: clock.now() };
    },
  });

  async function tryToStart(attempt: number): Promise<void> {
    try {
      adapter ??= await descriptor.create(settings);
      await adapter.start(host);
      if (health.state === "starting") report("ready");
    } catch (error) {
      if (stopped) return;
      const message = error instanceof Error ? error.message : String(error);
      if (!(error instanceof ChannelError) && message !== health.lastError)
        log.error({ err: error }, "an account could not start");
      const fatal = error instanceof ChannelError && error.decision === "fatal";
      report(fatal ? "failed" : "reconnecting", message);
      const named = error instanceof ChannelError ? error.retryAfterMs : null;
      const usual = fatal
        ? OPERATOR_RETRY_MS
        : backoffMs({ firstMs: FIRST_RETRY_MS, longestMs: MAX_RETRY_MS }, attempt + 1);
      tryAgainIn(named ?? usual, attempt + 1);
    }
  }

  function tryAgainIn(delay: number, attempt: number): void {
    if (stopped || timer !== null) return;
    log.debug({ delay, attempt }, "the account is tried again");
    timer = setTimeout(() => void begin(attempt), delay);
  }

  function begin(attempt: number): Promise<void> {
    timer = null;
    const trying = tryToStart(attempt).finally(() => {
      starting = null;
      // It may have failed for good between its start and now.
      if (health.state === "failed") tryAgainIn(OPERATOR_RETRY_MS, attempt + 1);
    });
    starting = trying;
    return trying;
  }

  return {
    descriptor,
    settings,
    name,
    adapter: () => adapter,
    ready: () => !stopped && adapter !== null && (health.state === "ready" || health.state === "degraded"),
    mayTry: () => !stopped && !sendsFail && health.state === "reconnecting" && adapter?.sendsWithoutEvents?.() === true,
    health: () => ({ ...health, clockAheadMs: platformClock.aheadMs() }),
    platformClock,
    start: () => begin(0),
    stop: async () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await starting;
      await adapter?.stop();
    },
    noteOutbound: () => {
      health = { ...health, lastOutboundAt: clock.now() };
    },
    noteTrouble: (reason) => {
      sendsFail = reason !== null;
      if (reason !== null && health.state === "ready") report("degraded", reason);
      else if (reason === null && health.state === "degraded") report("ready");
    },
  };
}

function noteSkew(log: Logger, aheadMs: number): void {
  if (aheadMs === 0) log.info({}, "this machine's clock agrees with the platform's again");
  else log.warn({ aheadMs }, "this machine's clock is wrong; the age of messages is measured by the platform's");
}

/** What all accounts share. */
export interface AccountPorts {
  readonly store: Store;
  readonly files: HostFiles;
  readonly mount: AdapterHost["mount"];
  readonly accept: (event: InboundEvent, account: AccountSettings) => Promise<AcceptResult>;
  readonly suggest: (asking: Asking, account: AccountSettings) => Promise<readonly Suggestion[]>;
  readonly agentName: AdapterHost["agentName"];
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
  own: Pick<AdapterHost, "log" | "clock" | "platformClock" | "report"> & {
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
    platformClock: own.platformClock,
    log: own.log,
    accept: (event) => {
      own.onInbound();
      return ports.accept(event, account);
    },
    suggest: (asking) => ports.suggest(asking, account),
    agentName: ports.agentName,
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
