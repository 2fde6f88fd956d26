import { readFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import type { ModelRef } from "../../src/core/model.ts";
import type { AgentSettings, ModelSettings, SubagentSettings } from "../../src/core/settings.ts";
import {
  badTimeZone,
  instructionsUnreadable,
  MODEL_MISSING,
  NO_DEFAULT_AGENT,
  secondDefaultAgent,
  unknownTimeZone,
} from "../../src/core/texts/config/sections.ts";
import type { ConfigPath } from "../load/findings.ts";
import { checkAgent, type NormaliseContext } from "./context.ts";
import { modelRef } from "./models.ts";
import { agentToolsSchema, fullLayer } from "./tools.ts";
import { countFromOne, filledText, flag, nameText, text, thinking } from "./values.ts";

const subagentsSchema = z.strictObject({
  maxSpawnDepth: z.int().min(1).max(5).optional(),
  maxChildrenPerAgent: z.int().min(1).max(20).optional(),
  runTimeoutSeconds: z.number().nonnegative().optional(),
  archiveAfterMinutes: z.number().nonnegative().optional(),
  allowAgents: z.array(filledText).optional(),
  requireAgentId: flag.optional(),
  model: filledText.optional(),
});
export type SubagentsSection = z.infer<typeof subagentsSchema>;

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
  tools: agentToolsSchema.optional(),
  subagents: subagentsSchema.optional(),
});
export type AgentEntrySection = z.infer<typeof agentEntry>;

export const agentsSchema = z.strictObject({
  defaults: z
    .strictObject({
      ...agentShape,
      maxConcurrent: countFromOne.optional(),
      subagents: subagentsSchema.extend({ maxConcurrent: countFromOne.optional() }).optional(),
    })
    .optional(),
  entries: z.record(nameText, agentEntry).optional(),
});
export type AgentsSection = z.infer<typeof agentsSchema>;
export type AgentDefaultsSection = NonNullable<AgentsSection["defaults"]>;

export interface NormalisedAgents {
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly defaultAgentId: string | null;
  readonly maxConcurrent: number;
  readonly maxConcurrentChildren: number;
}

/** The agents, each with everything it takes from `agents.defaults`. */
export function normaliseAgents(
  context: NormaliseContext,
  section: AgentsSection | undefined,
  models: ModelSettings,
): NormalisedAgents {
  const defaults = section?.defaults ?? {};
  const entries = Object.entries(section?.entries ?? {});
  const agents = new Map<string, AgentSettings>();
  for (const [id, entry] of entries) {
    const path = ["agents", "entries", id];
    agents.set(id, normaliseAgent(context, { id, entry, defaults, models, path }));
  }
  return {
    agents,
    defaultAgentId: defaultAgent(context, entries),
    maxConcurrent: defaults.maxConcurrent ?? Math.max(8, 4 * availableParallelism()),
    maxConcurrentChildren: defaults.subagents?.maxConcurrent ?? 8,
  };
}

function defaultAgent(
  context: NormaliseContext,
  entries: readonly (readonly [string, AgentEntrySection])[],
): string | null {
  const marked = entries.filter(([, entry]) => entry.default === true).map(([id]) => id);
  const [first, second] = marked;
  if (first !== undefined && second !== undefined) {
    context.findings.fault(["agents", "entries", second, "default"], secondDefaultAgent(first));
  }
  if (first !== undefined) return first;
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return only[0];
  context.findings.warn(["agents", "entries"], NO_DEFAULT_AGENT);
  return null;
}

interface AgentInput {
  readonly id: string;
  readonly entry: AgentEntrySection;
  readonly defaults: AgentDefaultsSection;
  readonly models: ModelSettings;
  readonly path: ConfigPath;
}

function normaliseAgent(context: NormaliseContext, input: AgentInput): AgentSettings {
  const { id, entry, defaults, path } = input;
  return {
    id,
    name: entry.name ?? id,
    instructions: readInstructions(context, entry.instructions ?? "", [...path, "instructions"]),
    model: chosenModel(context, input) ?? { provider: "demo", model: "switchyard" },
    ownModel: entry.model !== undefined,
    fallbacks: chosenFallbacks(context, input),
    thinking: entry.thinking ?? defaults.thinking ?? null,
    timeoutMs: Math.round((entry.timeoutSeconds ?? defaults.timeoutSeconds ?? 600) * 1_000),
    maxSteps: entry.maxSteps ?? defaults.maxSteps ?? 50,
    userTimezone: timezone(context, input),
    tools: fullLayer(context, entry.tools, [...path, "tools"]),
    visibility: entry.tools?.sessions?.visibility ?? null,
    subagents: normaliseSubagents(context, input),
    compaction: { threshold: entry.compaction?.threshold ?? defaults.compaction?.threshold ?? 0.8 },
  };
}

function chosenModel(context: NormaliseContext, { entry, defaults, models, path }: AgentInput): ModelRef | null {
  const at = entry.model !== undefined ? [...path, "model"] : ["agents", "defaults", "model"];
  const written = entry.model ?? defaults.model;
  if (written !== undefined) return modelRef(written, models, { findings: context.findings, path: at });
  context.findings.fault(at, MODEL_MISSING);
  return null;
}

function chosenFallbacks(
  context: NormaliseContext,
  { entry, defaults, models, path }: AgentInput,
): readonly ModelRef[] {
  const at = entry.fallbacks !== undefined ? [...path, "fallbacks"] : ["agents", "defaults", "fallbacks"];
  const written = entry.fallbacks ?? defaults.fallbacks ?? [];
  return written
    .map((text, index) => modelRef(text, models, { findings: context.findings, path: [...at, index] }))
    .filter((ref) => ref !== null);
}

function timezone(context: NormaliseContext, { entry, defaults, path }: AgentInput): string {
  const at = entry.userTimezone !== undefined ? [...path, "userTimezone"] : ["agents", "defaults", "userTimezone"];
  const written = entry.userTimezone ?? defaults.userTimezone;
  if (written === undefined) return systemTimeZone(context);
  if (!isTimeZone(written)) context.findings.fault(at, unknownTimeZone(written));
  return written;
}

/**
 * FC-320: `TZ` is a setting like any other. What it must be is stricter than what the system takes: a zone such as `UTC+2` has no
 * name that a prompt could show, and some others silently mean UTC.
 */
function systemTimeZone({ env, findings }: NormaliseContext): string {
  const named = env.TZ?.replace(/^:/, "");
  const zone = named ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (isTimeZone(zone)) return zone;
  findings.fault("TZ", badTimeZone(named));
  return "UTC";
}

function isTimeZone(name: string | undefined): name is string {
  if (name === undefined || name === "") return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function normaliseSubagents(
  context: NormaliseContext,
  { entry, defaults, models, path }: AgentInput,
): SubagentSettings {
  const own: SubagentsSection = entry.subagents ?? {};
  const base: SubagentsSection = defaults.subagents ?? {};
  const at = (key: keyof SubagentsSection): ConfigPath =>
    own[key] !== undefined ? [...path, "subagents", key] : ["agents", "defaults", "subagents", key];
  const allowAgents = own.allowAgents ?? base.allowAgents ?? [];
  for (const [index, agentId] of allowAgents.entries()) {
    if (agentId !== "*") checkAgent(context, agentId, [...at("allowAgents"), index]);
  }
  const model = own.model ?? base.model;
  return {
    maxSpawnDepth: own.maxSpawnDepth ?? base.maxSpawnDepth ?? 1,
    maxChildrenPerAgent: own.maxChildrenPerAgent ?? base.maxChildrenPerAgent ?? 5,
    runTimeoutMs: Math.round((own.runTimeoutSeconds ?? base.runTimeoutSeconds ?? 0) * 1_000),
    archiveAfterMs: Math.round((own.archiveAfterMinutes ?? base.archiveAfterMinutes ?? 60) * 60_000),
    allowAgents,
    requireAgentId: own.requireAgentId ?? base.requireAgentId ?? false,
    model: model === undefined ? null : modelRef(model, models, { findings: context.findings, path: at("model") }),
  };
}

/**
 * An agent's instructions: the text itself, or what stands in the file it names, relative to the configuration file
 * (TN-18). A single line that begins with `./`, `../`, `/` or `~/`, or is one word ending in `.md` or `.txt`, names a file.
 */
export function readInstructions(context: NormaliseContext, written: string, path: ConfigPath): string {
  if (!isFileName(written)) return written;
  const file = resolve(context.baseDir, written.startsWith("~/") ? `${homedir()}/${written.slice(2)}` : written);
  context.onRead(file);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    context.findings.fault(path, instructionsUnreadable(file, reason));
    return "";
  }
}

/** Whether instructions name a file in place of being the text. */
export function isFileName(written: string): boolean {
  if (written.includes("\n")) return false;
  return /^(\.{1,2}|~)?\//.test(written) || /^\S+\.(md|txt)$/.test(written);
}
