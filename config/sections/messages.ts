import { DEFAULT_QUEUE, type QueueMode } from "../../src/core/message/queue.ts";
import type { SendPolicy, Settings } from "../../src/core/settings.ts";
import type { ConfigFile, MessagesSection, SessionSection } from "../load/schema.ts";
import { channelNamed, type NormaliseContext, qualifiedSender, qualifiedSenders } from "./context.ts";
import { safePattern } from "./safe-pattern.ts";
import { normaliseReset, normaliseThreadBindings, THREAD_BINDING_DEFAULTS } from "./session.ts";
import { durationMs } from "./values.ts";

export function normaliseSession(context: NormaliseContext, section: SessionSection | undefined): Settings["session"] {
  const links = new Map<string, string>();
  for (const [person, ids] of Object.entries(section?.identityLinks ?? {})) {
    for (const [index, written] of ids.entries()) {
      const path = ["session", "identityLinks", person, index];
      const sender = qualifiedSender(context, written, path);
      if (sender === null) continue;
      const other = links.get(sender);
      if (sender === "*") context.findings.fault(path, '"*" is nobody\'s id', "Name one person's ids.");
      else if (other !== undefined && other !== person) {
        context.findings.fault(path, `${sender} belongs to "${other}" already`, "Give every id to one person.");
      } else links.set(sender, person);
    }
  }
  return {
    dmScope: section?.dmScope ?? "per-channel-peer",
    groupScope: section?.groupScope ?? "per-group",
    identityLinks: links,
    threadBindings: normaliseThreadBindings(section?.threadBindings, THREAD_BINDING_DEFAULTS),
    reset: normaliseReset(context, section),
    sendPolicy: sendPolicy(context, section?.sendPolicy),
    maxPingPongTurns: section?.agentToAgent?.maxPingPongTurns ?? 5,
  };
}

function sendPolicy(context: NormaliseContext, section: SessionSection["sendPolicy"]): SendPolicy {
  const rules = (section?.rules ?? []).map(({ match, action }, index) => {
    const { channel = null, chatType = null, keyPrefix = null } = match;
    const path = ["session", "sendPolicy", "rules", index, "match"];
    if (channel !== null) channelNamed(context, channel, [...path, "channel"]);
    if (channel === null && chatType === null && keyPrefix === null) {
      context.findings.fault(path, "matches every session", "Write sendPolicy.default instead.");
    }
    return { match: { channel, chatType, keyPrefix }, action };
  });
  return { rules, default: section?.default ?? "allow" };
}

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
    edits: section?.edits ?? "ignore",
    implicitMentions: {
      replyToBot: section?.implicitMentions?.replyToBot ?? true,
      threadParticipation: section?.implicitMentions?.threadParticipation ?? true,
    },
  };
}

/** IN-7: a pattern that a message could make run for minutes is refused here, because every message meets it. */
function mentionPatterns(context: NormaliseContext, sources: readonly string[]): readonly RegExp[] {
  return sources.flatMap((source, index) => {
    const verdict = safePattern(source);
    if (verdict.ok) return [verdict.pattern];
    context.findings.fault(
      ["messages", "mentionPatterns", index],
      `the pattern ${JSON.stringify(source)} ${verdict.reason}`,
      'Write a simple one, such as "\\\\bswitchy\\\\b".',
    );
    return [];
  });
}

export function normaliseCommands(context: NormaliseContext, section: ConfigFile["commands"]): Settings["commands"] {
  const owners = qualifiedSenders(context, section?.ownerAllowFrom ?? [], ["commands", "ownerAllowFrom"]);
  if (owners.includes("*")) {
    context.findings.warn(
      ["commands", "ownerAllowFrom"],
      '"*" makes everybody an owner',
      "Name the owners by their ids.",
    );
  }
  return {
    config: section?.config ?? false,
    ownerAllowFrom: owners,
    adminAllowFrom:
      section?.adminAllowFrom === undefined
        ? null
        : qualifiedSenders(context, section.adminAllowFrom, ["commands", "adminAllowFrom"]),
    allowFrom:
      section?.allowFrom === undefined ? null : qualifiedSenders(context, section.allowFrom, ["commands", "allowFrom"]),
  };
}

const CATCH_UP_MS = 900_000;

export function normaliseCatchUp(context: NormaliseContext, section: ConfigFile["catchUp"]): number {
  const written = section?.maxAge;
  if (written === undefined) return CATCH_UP_MS;
  const ms = durationMs(written);
  if (ms === null) {
    context.findings.fault(
      ["catchUp", "maxAge"],
      `"${written}" is not a duration`,
      'Write it like "15m", "2h", "90s", or as a number of milliseconds.',
    );
  }
  return ms ?? CATCH_UP_MS;
}
