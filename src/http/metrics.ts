import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AccountState } from "../channel/adapter.ts";
import { type Instrument, type Section, sections } from "../core/instrument.ts";
import type { Logger } from "../core/runtime.ts";
import type { AccountReport } from "./health.ts";

/** What is asked for at the moment of a scrape. */
export interface MetricSources {
  /** Tasks that are waiting, per task. */
  queueDepth(): ReadonlyMap<string, number>;
  /** When the oldest input that still waits arrived, in milliseconds since the epoch; null: none waits. */
  oldestWaitingInputAt(): Promise<number | null>;
  accounts(): readonly AccountReport[];
  now(): number;
}

export interface Metrics {
  readonly instrument: Instrument;
  readonly contentType: string;
  /** How late the event loop was, in milliseconds, at one look of its monitor (OP-15). */
  loopDelay(ms: number): void;
  /** The Prometheus text. Sources are attached once the parts they ask exist; until then the gauges are absent. */
  text(): Promise<string>;
  attach(sources: MetricSources): void;
}

const STATES: readonly AccountState[] = ["starting", "ready", "degraded", "reconnecting", "failed"];
const LATENCY = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const DURATION = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
const SECOND = 1000;

/** The metrics of OP-8 in their own registry; times in seconds, as Prometheus expects. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[]): Counter<T> =>
    new Counter({ name: `switchyard_${name}`, help, labelNames, registers });
  const gauge = <T extends string>(name: string, help: string, labelNames: T[]): Gauge<T> =>
    new Gauge({ name: `switchyard_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, labelNames: T[], buckets: number[]): Histogram<T> =>
    new Histogram({ name: `switchyard_${name}`, help, labelNames, buckets, registers });

  const inputs = counter("inputs_total", "Inputs by kind, channel and result", ["kind", "channel", "result"]);
  const turns = histogram("turn_seconds", "Duration of ended turns by outcome", ["outcome"], DURATION);
  const steps = histogram(
    "model_step_seconds",
    "Duration of model calls by model and result",
    ["model", "result"],
    DURATION,
  );
  const tools = histogram(
    "tool_call_seconds",
    "Duration of tool calls by tool and status",
    ["tool", "status"],
    DURATION,
  );
  const tokens = counter("tokens_total", "Tokens by model and kind", ["model", "kind"]);
  const deliveries = counter("deliveries_total", "Deliveries that reached a state", ["channel", "state"]);
  const answers = histogram(
    "answer_seconds",
    "Time from a message to its first and its final reply",
    ["channel", "part"],
    DURATION,
  );
  const store = histogram("store_seconds", "Duration of store steps and reads", ["kind", "name"], LATENCY);
  const loop = histogram("event_loop_delay_seconds", "Delay of the event loop", [], LATENCY);
  const depth = gauge("queue_depth", "Tasks that are waiting", ["task"]);
  const oldest = gauge("oldest_waiting_input_seconds", "Age of the oldest waiting input; 0 if there is none", []);
  const account = gauge("account_state", "1 for the account's current state", ["channel", "account", "state"]);

  const attached: MetricSources[] = [];

  async function collect(sources: MetricSources): Promise<void> {
    depth.reset();
    for (const [task, waiting] of sources.queueDepth()) depth.set({ task }, waiting);
    const since = await sources.oldestWaitingInputAt();
    oldest.set(since === null ? 0 : Math.max(0, sources.now() - since) / SECOND);
    account.reset();
    for (const one of sources.accounts()) {
      for (const state of STATES) {
        const labels = { channel: one.channel, account: one.accountId, state };
        account.set(labels, one.health.state === state ? 1 : 0);
      }
    }
  }

  return {
    contentType: registry.contentType,
    instrument: {
      input: ({ kind, channel, result }) => inputs.inc({ kind, channel: channel ?? "none", result }),
      turnEnded: ({ outcome, ms }) => turns.observe({ outcome }, ms / SECOND),
      step: ({ model, result, ms }) => steps.observe({ model, result }, ms / SECOND),
      toolCall: ({ tool, status, ms }) => tools.observe({ tool, status }, ms / SECOND),
      tokens: ({ model, usage }) => {
        for (const kind of ["input", "output", "cached"] as const) tokens.inc({ model, kind }, usage[kind]);
      },
      delivery: ({ channel, state }) => deliveries.inc({ channel, state }),
      answered: ({ channel, part, ms }) => answers.observe({ channel, part }, ms / SECOND),
      storeCall: ({ kind, name, ms }) => store.observe({ kind, name }, ms / SECOND),
    },
    loopDelay: (ms) => loop.observe(ms / SECOND),
    async text() {
      for (const sources of attached) await collect(sources);
      return registry.metrics();
    },
    attach: (sources) => {
      attached.splice(0, attached.length, sources);
    },
  };
}

/** How often the loop is looked at, in milliseconds. Shorter blocks than the limit are only measured, not logged. */
const EVERY_MS = 100;
/** From this many milliseconds on a block is a warning (OP-15). */
const BLOCKED_MS = 200;
/** Sections shorter than this explain no block. */
const WORTH_NAMING_MS = 10;
const REMEMBERED = 64;

export interface LoopMonitorOptions {
  readonly log: Logger;
  /** Called at each look with how late it was, in milliseconds. */
  readonly onDelay: (ms: number) => void;
}

/**
 * Watches how long the event loop is blocked: no requests are served meanwhile. A look that comes more than 200 ms late is logged
 * with the named work that ran, and with the processor time this thread used: much less than the delay means that the
 * machine was busy, not this process.
 */
export function startLoopMonitor({ log, onDelay }: LoopMonitorOptions): { stop(): void } {
  const recent: Section[] = [];
  const remember = (message: unknown) => {
    const one = message as Section;
    if (one.to - one.from < WORTH_NAMING_MS) return;
    recent.push(one);
    if (recent.length > REMEMBERED) recent.shift();
  };
  let lookedAt = performance.now();
  let cpuAt = process.threadCpuUsage();
  const look = () => {
    const now = performance.now();
    const late = Math.max(0, now - lookedAt - EVERY_MS);
    onDelay(late);
    if (late > BLOCKED_MS) {
      const used = process.threadCpuUsage(cpuAt);
      const ran = recent
        .filter(({ to }) => to > lookedAt)
        .map(({ name, from, to }) => `${name} ${Math.round(to - from)} ms`);
      const cpuMs = Math.round((used.user + used.system) / 1000);
      log.warn({ delayMs: Math.round(late), cpuMs, ran }, "the event loop was blocked");
    }
    recent.length = 0;
    lookedAt = now;
    cpuAt = process.threadCpuUsage();
  };
  sections.subscribe(remember);
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      sections.unsubscribe(remember);
    },
  };
}
