import { RE2JS, RE2JSSyntaxException } from "re2js";
import { z } from "zod";
import { NAME_PATTERN } from "../../src/core/ids.ts";
import { QUEUE_MODES } from "../../src/core/message/turn-inputs.ts";
import { RESET_MODES } from "../../src/core/session/session.ts";
import type { TextPattern } from "../../src/core/settings.ts";
import { patternProblem } from "../../src/core/texts/config/sections.ts";
import { MUST } from "../../src/core/texts/config/shape.ts";

/** The small values that sections of the configuration are made of. Nothing here transforms: the loader does that once. */

/** An agent, provider or account name (SK-2). For accounts, the loader also refuses the reserved words. */
export const nameText = z.string().regex(NAME_PATTERN, { error: MUST.beName });

/** A platform id. Numbers are allowed where they are exact; longer ones must stand in quotes. */
export const id = z.union([z.string().min(1), z.int()], {
  error: MUST.beId,
});
export const ids = z.array(id);

/** `"15m"`, `"2h"`, `"90s"`, `"500ms"`, `"1d"`, or a number of milliseconds. */
export const duration = z.union([z.string(), z.number().nonnegative()], {
  error: MUST.beDuration,
});

export const text = z.string();
export const filledText = z.string().min(1);
export const flag = z.boolean();
export const count = z.int().nonnegative();
export const countFromOne = z.int().positive();

export const dmScope = z.enum(["main", "per-peer", "per-channel-peer", "per-account-channel-peer"]);
export const groupScope = z.enum(["per-group", "main"]);
export const queueMode = z.enum(QUEUE_MODES);
export const thinking = z.enum(["off", "minimal", "low", "medium", "high"]);
export const toolNames = z.array(filledText);

/** TB-4: `session.threadBindings`, and the same for a channel or an account. Hours; 0: never. */
export const threadBindings = z.strictObject({
  enabled: flag.optional(),
  idleHours: z.number().min(0).max(87_600).optional(),
  maxAgeHours: z.number().min(0).max(87_600).optional(),
  spawnSessions: flag.optional(),
  defaultSpawnContext: z.enum(["isolated", "fork"]).optional(),
});
export type ThreadBindingsSection = z.infer<typeof threadBindings>;

/** TN-13: `session.reset`, and the same by type and by channel. Minutes; hours of the day in the agent's time zone. */
export const resetPolicy = z.strictObject({
  mode: z.enum(RESET_MODES).optional(),
  atHour: z.int().min(0).max(23).optional(),
  idleMinutes: z.number().min(1).max(525_600).optional(),
});
export type ResetPolicySection = z.infer<typeof resetPolicy>;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `"500ms"`, `"90s"`, `"15m"`, `"2h"`, `"1d"` or a number of milliseconds; null when it is none of these. */
export function durationMs(value: string | number): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/.exec(value) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}

/*
 * Regular expressions that every message is matched against (IN-7, FC-402). They run on RE2, which never backtracks: the time
 * is the message's length times the pattern's size, so both limits here bound it. Look-around and backreferences are unknown to it.
 */
const MAX_LENGTH = 200;
/** Instructions: a pattern like `(a{100}){10}` is short to write. */
const MAX_SIZE = 500;

type Verdict = { readonly ok: true; readonly pattern: TextPattern } | { readonly ok: false; readonly reason: string };

/** Compiles a pattern (case-insensitive, Unicode) when it is valid and its work is bounded. */
export function safePattern(source: string): Verdict {
  if (source.length > MAX_LENGTH) return { ok: false, reason: patternProblem.tooLong(MAX_LENGTH) };
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { ok: false, reason: patternProblem.notRe2(error.getDescription()) };
  }
  if (compiled.programSize() > MAX_SIZE) return { ok: false, reason: patternProblem.tooLarge };
  const pattern: TextPattern = { test: (text) => compiled.matcher(text).find() };
  if (pattern.test("")) return { ok: false, reason: patternProblem.matchesEverything };
  return { ok: true, pattern };
}
