import { createCompactOnDemand } from "../agent/compaction.ts";
import { MODEL_BACKOFF } from "../agent/model-call.ts";
import { describeContext } from "../agent/prompt.ts";
import type { AgentRunner } from "../agent/runner.ts";
import { createTurnRunner } from "../agent/turn/runner.ts";
import type { AccountHealth, AdapterHost } from "../channel/adapter.ts";
import type { ChannelDescriptor } from "../channel/descriptor.ts";
import { createDispatch } from "../commands/dispatch.ts";
import { senderFolder } from "../commands/people/pairing.ts";
import { COMMANDS, commandNames, nativeCommands, workStarters } from "../commands/registry.ts";
import type { ConfigEditor, ProcessControl } from "../core/config-editor.ts";
import type { Instrument } from "../core/instrument.ts";
import type { AcceptResult, InboundEvent } from "../core/message/inbound-event.ts";
import { turnTask } from "../core/message/turn-inputs.ts";
import type { Runtime } from "../core/runtime.ts";
import type { AccountSettings, Settings } from "../core/settings.ts";
import { parseMarkdown } from "../core/text/markdown.ts";
import { eventRules } from "../core/texts/rules.ts";
import { createLocalTime, systemTimers } from "../core/time.ts";
import { createPacer, PLAIN_RENDERER } from "../delivery/pacing.ts";
import { createPump } from "../delivery/pump.ts";
import { createCompose, createThreads } from "../delivery/way-out.ts";
import { nameOfAgent } from "../routing/agent-rules.ts";
import { createPresentAccess } from "../routing/present-access.ts";
import { createAttachmentReader } from "../sessions/file-content.ts";
import { createLiveTurns } from "../sessions/live-turns.ts";
import { createReplySignal } from "../sessions/reply-signal.ts";
import { peopleOf } from "../store/reads/people/conversation-people.ts";
import { openWork } from "../store/reads/upkeep/open-work.ts";
import { migrateConversation } from "../store/steps/upkeep/migrate-conversation.ts";
import type { Store } from "../store/store.ts";
import { createArchive, createBindingExpiry, createRunTimeout } from "../subagents/timers.ts";
import type { EffectiveToolsOf } from "../tools/policy.ts";
import type { TaskName, WorkQueue } from "../work/work-queue.ts";
import { createAccept, createAdmitHeld, createSuggest } from "./accept/accept.ts";
import type { AcceptDeps, CommandLine } from "./accept/arrival.ts";
import { createRelease } from "./accept/release.ts";
import { type Accounts, createAccounts } from "./accounts/accounts.ts";
import { createMaintenance } from "./maintenance.ts";
import { createMediaStore } from "./media-store.ts";
import { createInstrumented } from "./presence/instrumented.ts";
import { createAcknowledge, createProgress, createTurnOutput } from "./presence/progress.ts";

export interface BridgeOptions extends Runtime {
  readonly store: Store;
  readonly work: WorkQueue;
  readonly settings: () => Settings;
  readonly runner: () => AgentRunner;
  readonly descriptors: readonly ChannelDescriptor[];
  readonly mount: AdapterHost["mount"];
  readonly instrument: Instrument;
  readonly version: string;
  readonly commandLine: CommandLine;
  readonly configFile: ConfigEditor | null;
  readonly process: ProcessControl;
  readonly effectiveTools: EffectiveToolsOf;
}

export interface Bridge {
  readonly accounts: Accounts;
  health(): ReadonlyMap<string, AccountHealth>;
  queueDepth(): ReadonlyMap<string, number>;
  takesWork(): boolean;
  /** Goes on where the last process stopped, then connects the accounts. */
  start(): Promise<void>;
  /** OP-9: takes no more events, lets turns reach a step boundary, closes the connections. */
  stop(): Promise<void>;
}

const TASKS: readonly TaskName[] = [
  "turn",
  "child-turn",
  "command",
  "long-command",
  "deliver",
  "release",
  "run-timeout",
  "archive",
  "binding-expiry",
  "admit-held",
];
/** OP-9: how long a turn may take to reach its next step boundary. */
const DRAIN_MS = 15_000;

/** The parts of the product, tied together. Nothing here decides anything. */
export function createBridge(options: BridgeOptions): Bridge {
  const { store, work, settings, clock, log, instrument } = options;
  const startedAt = clock.now();
  let state: "starting" | "running" | "draining" = "starting";
  const { media, store: storeSettings } = settings();
  const files = createMediaStore({ dataDir: storeSettings.dataDir, maxBytes: media.maxBytes });
  const storeFile = ({ bytes, ...facts }: { name: string; mime: string; bytes: Uint8Array }) => files.put(bytes, facts);
  const liveTurns = createLiveTurns((sessions) => progress.ended(sessions));
  const replies = createReplySignal();
  const localTime = createLocalTime();
  const pacer = createPacer(clock);
  const doors = new Map(options.descriptors.map((descriptor) => [descriptor.channel, descriptor]));

  const door: AcceptDeps["door"] = (channel) => doors.get(channel) ?? { access: "policies", places: null };
  const presentAccess = createPresentAccess({ settings, door });

  const entry: AcceptDeps = {
    store,
    clock,
    log,
    settings,
    localTime,
    commandLine: options.commandLine,
    commandNames: commandNames(COMMANDS),
    startsWork: workStarters(COMMANDS),
    door,
    clockAheadMs: ({ channel, accountId }) => accounts.get(channel, accountId)?.platformClock.aheadMs() ?? 0,
    renderNotice: ({ channel, accountId }, text) => {
      const { rich, plain } = (accounts.renderer(channel, accountId) ?? PLAIN_RENDERER).render(parseMarkdown(text));
      return { rich, plain };
    },
  };
  const accept = createAccept(entry);
  const suggest = createSuggest({ ...entry, commands: COMMANDS });

  /** The account as the configuration has it now: allowlists change without a restart (OP-2). */
  const accountNow = (wanted: Pick<AccountSettings, "channel" | "accountId">): AccountSettings | undefined =>
    settings().accounts.find((known) => known.channel === wanted.channel && known.accountId === wanted.accountId);

  /** `heldAt`: since when the event waited for its place. */
  async function take(event: InboundEvent, heldAt?: number): Promise<AcceptResult> {
    const { accountId, route } = event;
    const account = accountNow({ channel: route.channel, accountId });
    if (account === undefined) {
      return { result: "refused", rule: eventRules.notConfigured(route.channel, accountId) };
    }
    const result = await accept(event, account, heldAt);
    if (result.result === "accepted") acknowledge.accepted(event, account);
    instrument.input({ kind: event.kind, channel: route.channel, result: result.result });
    return result;
  }

  const accounts = createAccounts({
    descriptors: options.descriptors,
    accounts: settings().accounts,
    clock,
    log,
    commands: nativeCommands(COMMANDS),
    onReady: (account) => {
      void pump.recover(account);
      void progress.ready(account);
    },
    ports: {
      store,
      files,
      mount: options.mount,
      accept: (event) => take(event),
      suggest: (asking, account) => suggest(asking, accountNow(account) ?? account),
      agentName: (facts) => nameOfAgent(settings(), facts),
      moveConversation: async (move) => void (await store.step(migrateConversation, move)),
    },
  });

  const acknowledge = createAcknowledge({
    ...{ store, accounts, pacer, log },
    anyReacts: () => settings().accounts.some(({ ackReaction }) => ackReaction !== null),
    account: accountNow,
  });
  const progress = createProgress({ accounts, store, log });
  const instrumented = createInstrumented({ instrument, clock });
  const pump = createPump({
    store,
    work,
    accounts,
    pacer,
    clock,
    timers: systemTimers,
    log,
    settings: settings().delivery,
    moveConversation: async (move) => void (await store.step(migrateConversation, move)),
    events: (event) => {
      accounts.onDelivery(event);
      acknowledge.onDelivery(event);
      instrumented.onDelivery(event);
    },
  });

  const threads = createThreads(accounts, systemTimers);
  const runTurn = createTurnRunner({
    ...options,
    liveTurns,
    presentAccess,
    threads,
    compose: createCompose({
      renderer: accounts.renderer,
      storeFile,
      people: (route) => store.read(peopleOf, route),
    }),
    replies,
    accounts,
    localTime,
    storeFile,
    readAttachment: createAttachmentReader((sha256) => files.get(sha256)),
    openOutput: createTurnOutput({ store, accounts, pacer, clock, timers: systemTimers, log }),
    events: (event) => {
      progress.onTurn(event);
      acknowledge.onTurn(event);
      instrumented.onTurn(event);
    },
    draining: () => state === "draining",
    backoff: MODEL_BACKOFF,
    lookAgain: (key, at) => work.enqueue(turnTask(key), key, at),
  });
  const health = (): ReadonlyMap<string, AccountHealth> =>
    new Map(accounts.list().map((account) => [account.name, account.health()]));

  const dispatch = createDispatch({
    ...options,
    liveTurns,
    presentAccess,
    threads,
    startedAt,
    health,
    commands: COMMANDS,
    renderer: accounts.renderer,
    storeFile,
    compact: createCompactOnDemand({
      ...{ store, settings, clock, localTime, log },
      runner: options.runner,
      backoff: MODEL_BACKOFF,
    }),
    foldSender: senderFolder(options.descriptors),
    channels: options.descriptors,
    describeContext: (key, rights) => describeContext(key, rights, { ...options, localTime }),
  });

  work.handle("turn", runTurn, { concurrency: settings().maxConcurrent });
  work.handle("child-turn", runTurn, { concurrency: settings().maxConcurrentChildren });
  work.handle("command", dispatch.handle, { concurrency: 16 });
  work.handle("long-command", dispatch.handleLong, { concurrency: 4 });
  work.handle("deliver", pump.handle, { concurrency: 64 });
  work.handle(
    "release",
    createRelease({
      store,
      clock,
      log,
      media: files,
      work,
      contextFiles: () => settings().messages.contextFiles,
      platform: (c, a) => {
        const account = accounts.get(c, a);
        return account === null || account.ready() ? account?.adapter()?.capabilities : "not_ready";
      },
    }),
    {
      concurrency: 8,
    },
  );
  work.handle("run-timeout", createRunTimeout({ store, settings, liveTurns }), { concurrency: 4 });
  work.handle("archive", createArchive({ store }), { concurrency: 4 });
  work.handle("binding-expiry", createBindingExpiry({ store }), { concurrency: 4 });
  work.handle("admit-held", createAdmitHeld({ store, accept: take }), { concurrency: 4 });
  work.handle("maintenance", createMaintenance({ store, settings, work, clock, log }), { concurrency: 1 });

  store.onWork((task, key, at) => {
    // A running turn looks at its inbox at the next boundary; without a nudge it need not look at all.
    if (task === "turn" || task === "child-turn") liveTurns.nudge(key);
    work.enqueue(task, key, at);
  });

  return {
    accounts,
    health,
    queueDepth: () => new Map(TASKS.map((task) => [task, work.depth(task)])),
    takesWork: () => state === "running",
    start: async () => {
      for (const { task, key, at } of await store.read(openWork, undefined)) work.enqueue(task, key, at);
      await pump.recover();
      work.enqueue("maintenance", "store", clock.now() + 60_000);
      work.start();
      state = "running";
      await accounts.start();
    },
    stop: async () => {
      state = "draining";
      await accounts.stop();
      await work.stop(DRAIN_MS);
    },
  };
}
