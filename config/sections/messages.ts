import { z } from "zod";
import { DEFAULT_QUEUE, MAX_QUEUE_CAP, QUEUE_DROPS, type QueueMode } from "../../src/core/message/turn-inputs.ts";
import type { Settings } from "../../src/core/settings.ts";
import { badDuration, badPattern } from "../../src/core/texts/config/sections.ts";
import { channelNamed, type NormaliseContext } from "./context.ts";
import { duration, durationMs, filledText, flag, queueMode, safePattern } from "./values.ts";

export const messagesSchema = z.strictObject({
  queue: z
    .strictObject({
      mode: queueMode.optional(),
      cap: z.int().min(1).max(MAX_QUEUE_CAP).optional(),
      drop: z.enum(QUEUE_DROPS).optional(),
      byChannel: z.record(z.string(), queueMode).optional(),
    })
    .optional(),
  inbound: z.strictObject({ debounceMs: z.int().min(0).max(60_000).optional() }).optional(),
  mentionPatterns: z.array(filledText).optional(),
  historyLimit: z.int().min(0).max(200).optional(),
  contextFiles: z.int().min(0).max(20).optional(),
  edits: z.enum(["ignore", "notify"]).optional(),
  implicitMentions: z.strictObject({ replyToBot: flag.optional(), threadParticipation: flag.optional() }).optional(),
});
export type MessagesSection = z.infer<typeof messagesSchema>;

export const catchUpSchema = z.strictObject({ maxAge: duration.optional() });
type CatchUpSection = z.infer<typeof catchUpSchema>;

export function normaliseMessages(
  context: NormaliseContext,
  section: MessagesSection | undefined,
): Settings["messages"] {
  const byChannel = new Map<string, QueueMode>();
  for (const [channel, mode] of Object.entries(section?.queue?.byChannel ?? {})) {
    if (channelNamed(context, channel, ["messages", "queue", "byChannel", channel]) !== null)
      byChannel.set(channel, mode);
  }
  return {
    queue: {
      mode: section?.queue?.mode ?? DEFAULT_QUEUE.mode,
      cap: section?.queue?.cap ?? DEFAULT_QUEUE.cap,
      drop: section?.queue?.drop ?? DEFAULT_QUEUE.drop,
      quietMs: DEFAULT_QUEUE.quietMs,
      byChannel,
    },
    debounceMs: section?.inbound?.debounceMs ?? 0,
    mentionPatterns: mentionPatterns(context, section?.mentionPatterns ?? []),
    historyLimit: section?.historyLimit ?? 20,
    contextFiles: section?.contextFiles ?? 4,
    edits: section?.edits ?? "ignore",
    implicitMentions: {
      replyToBot: section?.implicitMentions?.replyToBot ?? true,
      threadParticipation: section?.implicitMentions?.threadParticipation ?? true,
    },
  };
}

/** IN-7: a pattern that a message could make run for minutes is refused here, because every message meets it. */
function mentionPatterns(
  context: NormaliseContext,
  sources: readonly string[],
): Settings["messages"]["mentionPatterns"] {
  return sources.flatMap((source, index) => {
    const verdict = safePattern(source);
    if (verdict.ok) return [verdict.pattern];
    context.findings.fault(["messages", "mentionPatterns", index], badPattern(source, verdict.reason));
    return [];
  });
}

const CATCH_UP_MS = 900_000;

export function normaliseCatchUp(context: NormaliseContext, section: CatchUpSection | undefined): number {
  const written = section?.maxAge;
  if (written === undefined) return CATCH_UP_MS;
  const ms = durationMs(written);
  if (ms === null) {
    context.findings.fault(["catchUp", "maxAge"], badDuration(written));
  }
  return ms ?? CATCH_UP_MS;
}
