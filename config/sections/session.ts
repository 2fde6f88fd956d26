import { z } from "zod";
import {
  DEFAULT_RESET,
  RESET_TYPES,
  type ResetPolicy,
  type ResetSettings,
  type ResetType,
} from "../../src/core/session/session.ts";
import {
  type AccountSettings,
  CHAT_TYPES,
  type SendPolicy,
  type Settings,
  type ThreadBindingSettings,
} from "../../src/core/settings.ts";
import { idOfAnother, SHARED_MAIN, STAR_IS_NO_PERSON } from "../../src/core/texts/config/people.ts";
import { RULE_MATCHES_ALL, unusedResetKey } from "../../src/core/texts/config/sections.ts";
import type { ConfigPath } from "../load/findings.ts";
import { channelNamed, type NormaliseContext, qualifiedSender } from "./context.ts";
import {
  dmScope,
  filledText,
  groupScope,
  ids,
  type ResetPolicySection,
  resetPolicy,
  type ThreadBindingsSection,
  threadBindings,
} from "./values.ts";

const sendAction = z.enum(["allow", "deny"]);

export const sessionSchema = z.strictObject({
  dmScope: dmScope.optional(),
  groupScope: groupScope.optional(),
  identityLinks: z.record(filledText, ids).optional(),
  threadBindings: threadBindings.optional(),
  reset: resetPolicy.optional(),
  resetByType: z
    .strictObject({ direct: resetPolicy.optional(), group: resetPolicy.optional(), thread: resetPolicy.optional() })
    .optional(),
  resetByChannel: z.record(z.string(), resetPolicy).optional(),
  agentToAgent: z.strictObject({ maxPingPongTurns: z.int().min(0).max(20).optional() }).optional(),
  chains: z
    .strictObject({
      maxTurns: z.int().min(1).optional(),
      maxModelCalls: z.int().min(1).optional(),
      maxTokens: z.int().min(0).optional(),
    })
    .optional(),
  sendPolicy: z
    .strictObject({
      rules: z
        .array(
          z.strictObject({
            match: z.strictObject({
              channel: filledText.optional(),
              chatType: z.enum(CHAT_TYPES).optional(),
              keyPrefix: filledText.optional(),
            }),
            action: sendAction,
          }),
        )
        .optional(),
      default: sendAction.optional(),
    })
    .optional(),
});
export type SessionSection = z.infer<typeof sessionSchema>;

export function normaliseSession(context: NormaliseContext, section: SessionSection | undefined): Settings["session"] {
  const links = new Map<string, string>();
  for (const [person, ids] of Object.entries(section?.identityLinks ?? {})) {
    for (const [index, written] of ids.entries()) {
      const path = ["session", "identityLinks", person, index];
      const sender = qualifiedSender(context, written, path);
      if (sender === null) continue;
      const other = links.get(sender);
      if (sender === "*") context.findings.fault(path, STAR_IS_NO_PERSON);
      else if (other !== undefined && other !== person) {
        context.findings.fault(path, idOfAnother(sender, other));
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
    chains: {
      maxTurns: section?.chains?.maxTurns ?? 100,
      maxModelCalls: section?.chains?.maxModelCalls ?? 500,
      maxTokens: section?.chains?.maxTokens ?? 20_000_000,
    },
  };
}

function sendPolicy(context: NormaliseContext, section: SessionSection["sendPolicy"]): SendPolicy {
  const rules = (section?.rules ?? []).map(({ match, action }, index) => {
    const { channel = null, chatType = null, keyPrefix = null } = match;
    const path = ["session", "sendPolicy", "rules", index, "match"];
    if (channel !== null) channelNamed(context, channel, [...path, "channel"]);
    if (channel === null && chatType === null && keyPrefix === null) {
      context.findings.fault(path, RULE_MATCHES_ALL);
    }
    return { match: { channel, chatType, keyPrefix }, action };
  });
  return { rules, default: section?.default ?? "allow" };
}

/** TN-13: the general policy, and by type and channel what differs from it. */
export function normaliseReset(context: NormaliseContext, section: SessionSection | undefined): ResetSettings {
  const general = policy(context, section?.reset, { base: DEFAULT_RESET, path: ["session", "reset"] });
  const byType = new Map<ResetType, ResetPolicy>();
  for (const type of RESET_TYPES) {
    const written = section?.resetByType?.[type];
    if (written === undefined) continue;
    byType.set(type, policy(context, written, { base: general, path: ["session", "resetByType", type] }));
  }
  const byChannel = new Map<string, ResetPolicy>();
  for (const [channel, written] of Object.entries(section?.resetByChannel ?? {})) {
    const path = ["session", "resetByChannel", channel];
    if (channelNamed(context, channel, path) === null) continue;
    byChannel.set(channel, policy(context, written, { base: general, path }));
  }
  return { general, byType, byChannel };
}

function policy(
  { findings }: NormaliseContext,
  written: ResetPolicySection | undefined,
  { base, path }: { readonly base: ResetPolicy; readonly path: ConfigPath },
): ResetPolicy {
  const mode = written?.mode ?? base.mode;
  // A key that its mode does not look at is a promise that is silently broken (FC-089).
  const idle = written?.atHour !== undefined && mode !== "daily" ? "atHour" : null;
  const unused = written?.idleMinutes !== undefined && mode !== "idle" ? "idleMinutes" : idle;
  if (unused !== null) {
    const needed = unused === "atHour" ? "daily" : "idle";
    findings.warn([...path, unused], unusedResetKey(mode, needed));
  }
  return {
    mode,
    atHour: written?.atHour ?? base.atHour,
    idleMs: written?.idleMinutes === undefined ? base.idleMs : Math.round(written.idleMinutes * 60_000),
  };
}

const HOUR_MS = 3_600_000;

/** TB-4. What nothing says. */
export const THREAD_BINDING_DEFAULTS: ThreadBindingSettings = {
  enabled: true,
  idleMs: 24 * HOUR_MS,
  maxAgeMs: 0,
  spawnSessions: true,
  defaultSpawnContext: "fork",
};

/** A section over what it inherits: the account's over the channel's over the session's over the defaults, key by key. */
export function normaliseThreadBindings(
  section: ThreadBindingsSection | undefined,
  inherited: ThreadBindingSettings,
): ThreadBindingSettings {
  return {
    enabled: section?.enabled ?? inherited.enabled,
    idleMs: section?.idleHours === undefined ? inherited.idleMs : Math.round(section.idleHours * HOUR_MS),
    maxAgeMs: section?.maxAgeHours === undefined ? inherited.maxAgeMs : Math.round(section.maxAgeHours * HOUR_MS),
    spawnSessions: section?.spawnSessions ?? inherited.spawnSessions,
    defaultSpawnContext: section?.defaultSpawnContext ?? inherited.defaultSpawnContext,
  };
}

/** FC-424: with one session for all direct chats, people read each other; one person on several platforms is what it is for. */
export function warnSharedMain(
  { findings, channels }: NormaliseContext,
  session: Settings["session"],
  accounts: readonly AccountSettings[],
): void {
  if (session.dmScope !== "main") return;
  const operated = new Set(channels.filter(({ access }) => access === "operator").map(({ channel }) => channel));
  const chats = accounts.filter(({ channel, dmPolicy }) => !operated.has(channel) && dmPolicy !== "disabled");
  const people = new Set(
    chats.flatMap(({ channel, allowFrom }) =>
      allowFrom.map((id) => session.identityLinks.get(`${channel}:${id}`) ?? `${channel}:${id}`),
    ),
  );
  const isOpen = chats.some(({ dmPolicy, allowFrom }) => dmPolicy !== "allowlist" || allowFrom.includes("*"));
  if (people.size > 1 || isOpen) findings.warn(["session", "dmScope"], SHARED_MAIN);
}
