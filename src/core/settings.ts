import type { AccountId, AgentId, ChannelId } from "./ids.ts";
import type { ConfiguredQueue } from "./message/turn-inputs.ts";
import type { ModelRef } from "./model.ts";
import type { Quirks } from "./quirks.ts";
import type { ChainLimits } from "./session/chain.ts";
import type { ResetSettings, SendPolicyAction, ThinkingLevel } from "./session/session.ts";
import type { DailyLimits, ModelPrice } from "./session/spending.ts";

/** A pattern from the configuration, on an engine whose time is bounded (IN-7). */
export interface TextPattern {
  test(text: string): boolean;
}

/**
 * The configuration as the product uses it: defaults filled in, secrets substituted, durations in milliseconds, aliases
 * resolved, accounts flattened with what they inherit. `config/load.ts` makes it; nothing reads the file's own shape after that.
 */
export interface Settings {
  readonly store: { readonly url: string; readonly dataDir: string };
  readonly retention: RetentionSettings;
  readonly http: { readonly host: string; readonly port: number; readonly token: string | null };
  readonly logging: { readonly level: LogLevel; readonly content: boolean };
  readonly models: ModelSettings;
  readonly agents: ReadonlyMap<AgentId, AgentSettings>;
  readonly defaultAgentId: AgentId | null;
  readonly maxConcurrent: number;
  readonly maxConcurrentChildren: number;
  readonly tools: ToolSettings;
  /** In the order of the file. */
  readonly mcp: { readonly servers: readonly McpServerSettings[] };
  readonly session: {
    readonly dmScope: DmScope;
    readonly groupScope: GroupScope;
    /** `<channel>:<id>` → the person's one peer id (SK-10). */
    readonly identityLinks: ReadonlyMap<string, string>;
    readonly threadBindings: ThreadBindingSettings;
    readonly reset: ResetSettings;
    readonly sendPolicy: SendPolicy;
    /** The most reply-back turns of an exchange, and hops of a chain that comes back (ST-24). */
    readonly maxPingPongTurns: number;
    readonly chains: ChainLimits;
  };
  readonly messages: {
    readonly queue: ConfiguredQueue;
    readonly debounceMs: number;
    readonly mentionPatterns: readonly TextPattern[];
    readonly historyLimit: number;
    /** How many files of unaddressed messages the next addressed one brings (IN-12). */
    readonly contextFiles: number;
    readonly edits: "ignore" | "notify";
    readonly implicitMentions: { readonly replyToBot: boolean; readonly threadParticipation: boolean };
  };
  readonly delivery: { readonly onUnconfirmed: "resend" | "hold"; readonly maxChunks: number };
  readonly catchUpMaxAgeMs: number;
  readonly commands: {
    /** `/config` may be used (CM-15). */
    readonly config: boolean;
    readonly ownerAllowFrom: readonly string[];
    readonly adminAllowFrom: readonly string[] | null;
    readonly allowFrom: readonly string[] | null;
  };
  readonly limits: {
    readonly perSenderPerMinute: number;
    readonly perSenderCommandsPerMinute: number;
    readonly daily: DailyLimits;
  };
  readonly media: { readonly maxBytes: number };
  readonly bindings: readonly AgentBinding[];
  readonly accounts: readonly AccountSettings[];
  /** Every secret value in the configuration, for exact redaction. */
  readonly secrets: readonly string[];
}

/** Which sessions take messages of other sessions (ST-22). */
export interface SendPolicy {
  readonly rules: readonly {
    /** All fields that are set must match; null: any. */
    readonly match: {
      readonly channel: ChannelId | null;
      readonly chatType: ChatType | null;
      readonly keyPrefix: string | null;
    };
    readonly action: SendPolicyAction;
  }[];
  readonly default: SendPolicyAction;
}

export const CHAT_TYPES = ["direct", "group", "channel"] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** OP-10. How long, in milliseconds. */
export interface RetentionSettings {
  /** Results of platform events. */
  readonly eventsMs: number;
  /** Settled inputs, deliveries and failures. */
  readonly recordsMs: number;
  /** Unused sessions, and history from before a reset; 0: forever. */
  readonly sessionsMs: number;
}

/** TB-4. An account has its own, with what it does not say taken from `session.threadBindings`. */
export interface ThreadBindingSettings {
  /** False: nothing is bound, and what is bound already is as if it were not. */
  readonly enabled: boolean;
  /** 0: never. */
  readonly idleMs: number;
  /** 0: never. */
  readonly maxAgeMs: number;
  /** Agents may make threads for their sub-agents. */
  readonly spawnSessions: boolean;
  readonly defaultSpawnContext: "isolated" | "fork";
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";
export type DmScope = "main" | "per-peer" | "per-channel-peer" | "per-account-channel-peer";
export type GroupScope = "per-group" | "main";

export type ProviderType = "openai" | "anthropic" | "google" | "openai-compatible" | "demo";

export interface ProviderSettings {
  readonly id: string;
  readonly type: ProviderType;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  /** The longest wait for the first byte of an answer; null: by the address (FC-316). */
  readonly firstTokenMs?: number | null;
  readonly models: ReadonlyMap<string, ModelOverrides>;
}

export interface ModelOverrides {
  readonly contextTokens: number | null;
  readonly images: boolean | null;
  /** What the server behind it takes and refuses, where the table is wrong (FC-301). */
  readonly quirks?: Partial<Quirks>;
  readonly price: ModelPrice | null;
}

export interface ModelSettings {
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly aliases: ReadonlyMap<string, ModelRef>;
}

export interface AgentSettings {
  readonly id: AgentId;
  readonly name: string;
  /** The text itself; a file path in the configuration was read at load (TN-18). */
  readonly instructions: string;
  readonly model: ModelRef;
  /** The model is set in the agent's own entry, not in `agents.defaults`. */
  readonly ownModel: boolean;
  readonly fallbacks: readonly ModelRef[];
  readonly thinking: ThinkingLevel | null;
  readonly timeoutMs: number;
  readonly maxSteps: number;
  readonly userTimezone: string;
  readonly tools: ToolPolicyLayer;
  /** Replaces the global visibility when set (TP-2). */
  readonly visibility: Visibility | null;
  readonly subagents: SubagentSettings;
  /** TN-12: the share of the model's window at which older messages are summarised. */
  readonly compaction: { readonly threshold: number };
}

export interface SubagentSettings {
  readonly maxSpawnDepth: number;
  readonly maxChildrenPerAgent: number;
  /** 0: none. */
  readonly runTimeoutMs: number;
  /** 0: never. */
  readonly archiveAfterMs: number;
  /** `*`: any configured agent; the own agent is always allowed. */
  readonly allowAgents: readonly string[];
  readonly requireAgentId: boolean;
  readonly model: ModelRef | null;
}

export type ToolProfile = "minimal" | "messaging" | "coding" | "full";
export type Visibility = "self" | "tree" | "agent" | "all";

/** One layer of the tool policy (TP-2). Names may be groups or wildcards; null: the layer says nothing. */
export interface ToolPolicyLayer {
  readonly profile: ToolProfile | null;
  readonly alsoAllow: readonly string[] | null;
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

export interface ToolSettings {
  readonly global: ToolPolicyLayer;
  /** `provider/model` or `provider/*` → layer. */
  readonly byProvider: ReadonlyMap<string, ToolPolicyLayer>;
  /** `<channel>:<id>` or `*` → layer. */
  readonly bySender: ReadonlyMap<string, ToolPolicyLayer>;
  readonly subagents: { readonly allow: readonly string[] | null; readonly deny: readonly string[] };
  readonly visibility: Visibility;
  readonly agentToAgent: { readonly enabled: boolean; readonly allow: readonly string[] };
}

/** A server that provides tools for agents (ST-42). */
export interface McpServerSettings {
  readonly name: string;
  readonly transport:
    | {
        readonly kind: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
      }
    | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Of one call. */
  readonly timeoutMs: number;
  /** Until its tools are listed; null: the default. */
  readonly startMs: number | null;
  /** Which of its tools are taken, by the server's own names, `*` for any run of characters; null: all. */
  readonly tools: readonly string[] | null;
}

export type DmPolicy = "pairing" | "allowlist" | "open" | "disabled";
export type GroupPolicy = "allowlist" | "open" | "disabled";

/** A group, channel, topic or thread in an account's access map (IN-6); `*` in the map matches everything else. */
export interface PlaceSettings {
  readonly enabled: boolean;
  readonly requireMention: boolean | null;
  readonly allowFrom: readonly string[] | null;
  readonly roles: readonly string[] | null;
  readonly agentId: AgentId | null;
  readonly systemPrompt: string | null;
  readonly tools: ToolPolicyLayer | null;
  /** Channels of a guild, topics of a group; empty when the platform has none. */
  readonly places: ReadonlyMap<string, PlaceSettings>;
}

/** One account with everything it inherits from its channel (IN-6), ids folded by the adapter's own rule. */
export interface AccountSettings {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly dmPolicy: DmPolicy;
  readonly allowFrom: readonly string[];
  readonly groupPolicy: GroupPolicy;
  /** null or empty: the map is absent and lists nothing. */
  readonly places: ReadonlyMap<string, PlaceSettings>;
  /** The map is of servers, and their conversations are one level deeper. */
  readonly placesInServers: boolean;
  readonly replyToMode: "off" | "first" | "all";
  readonly streaming: "partial" | "off";
  readonly allowBots: boolean | "mentions";
  readonly maxBotTurns: number;
  readonly pacing: boolean;
  /** CH-8: put on a message while it is worked on, in the platform's own form; null: none. */
  readonly ackReaction: string | null;
  readonly threadBindings: ThreadBindingSettings;
  /** The adapter's own parsed section (token, API root, mode …); only the adapter reads it. */
  readonly own: unknown;
}

/** One entry of `bindings[]` (IN-8): all fields of `match` must match. */
export interface AgentBinding {
  readonly agentId: AgentId;
  readonly match: {
    readonly channel: ChannelId | null;
    readonly accountId: AccountId | null;
    /** `id` may be `*`. */
    readonly peer: { readonly kind: "direct" | "group" | "channel"; readonly id: string } | null;
    readonly guildId: string | null;
    readonly roles: readonly string[] | null;
    readonly teamId: string | null;
  };
  readonly session: { readonly dmScope: DmScope | null; readonly groupScope: GroupScope | null };
}
