import { CHANNELS, type Channel } from "./stage.ts";

export interface CrashOptions {
  readonly seed: number;
  /** How many cases at most. */
  readonly most: number;
  /** Only these; null: all. */
  readonly channel: Channel | null;
  readonly flow: string | null;
  readonly point: string | null;
}

const DEFAULT_SEED = 1;
const DEFAULT_CASES = 80;

/** From `CRASH_SEED`, `CRASH_CASES` (a number or `all`), `CRASH_CHANNEL`, `CRASH_FLOW`, `CRASH_POINT`; `run.ts` sets them. */
export function crashOptions(env: NodeJS.ProcessEnv): CrashOptions {
  const channel = CHANNELS.find((one) => one === env.CRASH_CHANNEL) ?? null;
  if (env.CRASH_CHANNEL !== undefined && channel === null) throw new Error(`no channel "${env.CRASH_CHANNEL}"`);
  const isNarrow = env.CRASH_POINT !== undefined;
  const cases = env.CRASH_CASES ?? (isNarrow ? "all" : String(DEFAULT_CASES));
  return {
    seed: wholeNumber(env.CRASH_SEED ?? String(DEFAULT_SEED), "CRASH_SEED"),
    most: cases === "all" ? Number.POSITIVE_INFINITY : wholeNumber(cases, "CRASH_CASES"),
    channel,
    flow: env.CRASH_FLOW ?? null,
    point: env.CRASH_POINT ?? null,
  };
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}"`);
  return Number(text);
}
