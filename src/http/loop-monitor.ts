import type { Logger } from "../core/runtime.ts";
import { type Section, sections } from "../core/section.ts";

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
 * Watches how long the event loop is held: nobody is served meanwhile. A look that comes more than 200 ms late is logged
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
