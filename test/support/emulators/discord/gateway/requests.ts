import { z } from "zod";
import type { BotRecord } from "../records.ts";
import { INTENT } from "../wire-types.ts";
import type { Frame } from "./session.ts";

const frameSchema = z.looseObject({ op: z.int(), d: z.unknown() });
const identifySchema = z.looseObject({
  token: z.string(),
  intents: z.int().min(0),
  properties: z.looseObject({}),
  shard: z.tuple([z.int().min(0), z.int().min(1)]).optional(),
});
const resumeSchema = z.looseObject({ token: z.string(), session_id: z.string(), seq: z.int().min(0) });

/** Every documented intent (bits 0–16, 20, 21, 24, 25). */
export const KNOWN_INTENTS = 0x1_ff_ff | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25);

/** A frame of a client; null when it is none. */
export function parseFrame(text: string): Frame | null {
  try {
    const parsed = frameSchema.safeParse(JSON.parse(text));
    return parsed.success ? { op: parsed.data.op, d: parsed.data.d } : null;
  } catch {
    return null;
  }
}

/** What a client identifies with; the shard is the only one when not said. */
export function parseIdentify(
  data: unknown,
): { token: string; intents: number; shard: readonly [number, number] } | null {
  const parsed = identifySchema.safeParse(data);
  if (!parsed.success) return null;
  const { token, intents, shard } = parsed.data;
  return { token, intents, shard: shard ?? [0, 1] };
}

export function parseResume(data: unknown): { token: string; sessionId: string; seq: number } | null {
  const parsed = resumeSchema.safeParse(data);
  if (!parsed.success) return null;
  return { token: parsed.data.token, sessionId: parsed.data.session_id, seq: parsed.data.seq };
}

/** The privileged intents a bot asks for without having them switched on in the portal. */
export function disallowedIntents({ facts }: BotRecord, intents: number): number {
  const allowed =
    (facts.messageContent ? INTENT.messageContent : 0) |
    (facts.guildMembers ? INTENT.guildMembers : 0) |
    (facts.presences ? INTENT.presences : 0);
  const privileged = INTENT.messageContent | INTENT.guildMembers | INTENT.presences;
  return intents & privileged & ~allowed;
}
