import { z } from "zod";
import { count, countFromOne, filledText, flag, name, text, thinking, toolNames } from "./values.ts";

const profile = z.enum(["minimal", "messaging", "coding", "full"]);
const visibility = z.strictObject({ visibility: z.enum(["self", "tree", "agent", "all"]).optional() });

/** A layer that only narrows (TP-2). */
export const narrowingTools = z.strictObject({ allow: toolNames.optional(), deny: toolNames.optional() });
export type NarrowingToolsSection = z.infer<typeof narrowingTools>;

const agentTools = z.strictObject({
  profile: profile.optional(),
  alsoAllow: toolNames.optional(),
  allow: toolNames.optional(),
  deny: toolNames.optional(),
  sessions: visibility.optional(),
});
export type AgentToolsSection = z.infer<typeof agentTools>;

export const tools = z.strictObject({
  ...agentTools.shape,
  byProvider: z.record(z.string(), narrowingTools).optional(),
  toolsBySender: z.record(z.string(), narrowingTools).optional(),
  agentToAgent: z.strictObject({ enabled: flag.optional(), allow: z.array(filledText).optional() }).optional(),
  subagents: z.strictObject({ tools: narrowingTools.optional() }).optional(),
});

const subagents = z.strictObject({
  maxSpawnDepth: z.int().min(1).max(5).optional(),
  maxChildrenPerAgent: z.int().min(1).max(20).optional(),
  runTimeoutSeconds: z.number().nonnegative().optional(),
  archiveAfterMinutes: z.number().nonnegative().optional(),
  allowAgents: z.array(filledText).optional(),
  requireAgentId: flag.optional(),
  model: filledText.optional(),
});
export type SubagentsSection = z.infer<typeof subagents>;

/** What `agents.defaults` and every entry share. */
const agentShape = {
  model: filledText.optional(),
  fallbacks: z.array(filledText).optional(),
  thinking: thinking.optional(),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  maxSteps: z.int().min(1).max(1_000).optional(),
  sandbox: z.strictObject({ mode: z.literal("off").optional() }).optional(),
  userTimezone: filledText.optional(),
  compaction: z.strictObject({ threshold: z.number().min(0.1).max(0.95).optional() }).optional(),
};

const agentEntry = z.strictObject({
  ...agentShape,
  default: flag.optional(),
  name: filledText.optional(),
  instructions: text.optional(),
  tools: agentTools.optional(),
  subagents: subagents.optional(),
});
export type AgentEntrySection = z.infer<typeof agentEntry>;

export const agents = z.strictObject({
  defaults: z
    .strictObject({
      ...agentShape,
      maxConcurrent: countFromOne.optional(),
      subagents: subagents.extend({ maxConcurrent: countFromOne.optional() }).optional(),
    })
    .optional(),
  entries: z.record(name, agentEntry).optional(),
});
export type AgentsSection = z.infer<typeof agents>;
export type AgentDefaultsSection = NonNullable<AgentsSection["defaults"]>;

const price = z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() });

const provider = z.strictObject({
  type: z.enum(["openai", "anthropic", "google", "openai-compatible", "demo"]).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: "is not a web address" }).optional(),
  apiKey: filledText.optional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextTokens: z.int().min(1_000).optional(),
        images: flag.optional(),
        price: price.optional(),
      }),
    )
    .optional(),
});
export type ProviderSection = z.infer<typeof provider>;

export const models = z.strictObject({
  providers: z.record(name, provider).optional(),
  aliases: z.record(name, filledText).optional(),
});
export type ModelsSection = z.infer<typeof models>;

export const limits = z.strictObject({
  /** 0: no limit. */
  perSender: z.strictObject({ perMinute: count.optional() }).optional(),
  daily: z.strictObject({ tokens: count.optional(), cost: z.number().nonnegative().optional() }).optional(),
});
