import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import type { ConfigFault } from "../../src/core/errors.ts";
import { accountName } from "../../src/core/ids.ts";
import type { AccountSettings, Settings } from "../../src/core/settings.ts";
import { NEEDS_RESTART } from "../../src/core/texts/config/load.ts";
import { normaliseAccounts } from "../sections/accounts.ts";
import { agentsSchema, normaliseAgents } from "../sections/agents.ts";
import { bindingSchema, normaliseBindings } from "../sections/bindings.ts";
import { type ChannelSections, channelSection } from "../sections/channels.ts";
import { commandsSchema, normaliseCommands } from "../sections/commands.ts";
import type { NormaliseContext } from "../sections/context.ts";
import { httpSchema, normaliseHttp } from "../sections/http.ts";
import { limitsSchema, normaliseLimits } from "../sections/limits.ts";
import { mcpSchema, normaliseMcp, warnUnusedServers } from "../sections/mcp.ts";
import { catchUpSchema, messagesSchema, normaliseCatchUp, normaliseMessages } from "../sections/messages.ts";
import { modelsSchema, normaliseModels } from "../sections/models.ts";
import { normaliseSession, sessionSchema, warnSharedMain } from "../sections/session.ts";
import { normaliseRetention, normaliseStore, storeSchema } from "../sections/store.ts";
import { normaliseTools, toolsSchema } from "../sections/tools.ts";
import { countFromOne, flag } from "../sections/values.ts";

const logging = z.strictObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).optional(),
  content: flag.optional(),
});

/** Everything but the channels: their part depends on which adapters there are. */
const general = z.strictObject({
  $schema: z.string().optional(),
  store: storeSchema.optional(),
  http: httpSchema.optional(),
  logging: logging.optional(),
  models: modelsSchema.optional(),
  agents: agentsSchema.optional(),
  tools: toolsSchema.optional(),
  mcp: mcpSchema.optional(),
  session: sessionSchema.optional(),
  messages: messagesSchema.optional(),
  delivery: z
    .strictObject({
      onUnconfirmed: z.enum(["resend", "hold"]).optional(),
      maxChunks: z.int().min(1).max(100).optional(),
    })
    .optional(),
  catchUp: catchUpSchema.optional(),
  commands: commandsSchema.optional(),
  limits: limitsSchema.optional(),
  media: z.strictObject({ maxBytes: countFromOne.max(1_073_741_824).optional() }).optional(),
  bindings: z.array(bindingSchema).optional(),
});
export type GeneralSections = z.infer<typeof general>;

/** A checked configuration file. The channels' sections are read by the part that knows their adapters. */
export interface ConfigFile extends GeneralSections {
  readonly channels?: ChannelSections | undefined;
}

/** The schema of the whole file (OP-2): strict everywhere, so that an ignored key cannot exist (FC-089). */
export function configSchema(channels: readonly ChannelDescriptor[]): z.ZodObject {
  const sections = Object.fromEntries(channels.map((entry) => [entry.channel, channelSection(entry).optional()]));
  return general.extend({ channels: z.strictObject(sections).optional() });
}

/** The JSON Schema of the file as it is written, for editors (OP-2): `"${NAME}"` may stand for every text. */
export function configJsonSchema(channels: readonly ChannelDescriptor[]): Record<string, unknown> {
  const json = z.toJSONSchema(configSchema(channels), {
    io: "input",
    override: ({ jsonSchema, path }) => {
      const isLimited =
        jsonSchema.pattern !== undefined || jsonSchema.format !== undefined || jsonSchema.enum !== undefined;
      if (jsonSchema.type !== "string" || !isLimited || path.at(-1) === "propertyNames") return;
      const { ...written } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      jsonSchema.anyOf = [written, { type: "string", pattern: ENV_REFERENCE }];
    },
  });
  return { title: "Switchyard configuration", ...json };
}

const ENV_REFERENCE = "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}";

/** What of an account its connection is built from; the access keys are read at every event and apply at once. */
function connectionOf(account: AccountSettings): unknown {
  return { own: account.own, pacing: account.pacing, streaming: account.streaming, replyToMode: account.replyToMode };
}

/** The changes that only a restart applies (OP-2), each as a warning. */
export function needsRestart(before: Settings, after: Settings): readonly ConfigFault[] {
  const warnings: ConfigFault[] = [];
  const warn = (path: string): void => {
    warnings.push({ path, ...NEEDS_RESTART });
  };
  if (!isDeepStrictEqual(before.store, after.store)) warn("store");
  if (!isDeepStrictEqual(before.http, after.http)) warn("http");
  if (!isDeepStrictEqual(before.logging, after.logging)) warn("logging");
  const concurrency = (settings: Settings): readonly number[] => [
    settings.maxConcurrent,
    settings.maxConcurrentChildren,
  ];
  if (!isDeepStrictEqual(concurrency(before), concurrency(after))) warn("agents.defaults.maxConcurrent");
  const [old, current] = [byName(before), byName(after)];
  for (const name of new Set([...old.keys(), ...current.keys()])) {
    if (!isDeepStrictEqual(old.get(name), current.get(name))) warn(`channels: account ${name}`);
  }
  return warnings;
}

function byName(settings: Settings): ReadonlyMap<string, unknown> {
  return new Map(settings.accounts.map((account) => [accountName(account), connectionOf(account)]));
}

/** The checked file as the product uses it. Faults that need more than one key to see are reported on the way. */
export function normalise(file: ConfigFile, context: NormaliseContext, secrets: readonly string[]): Settings {
  const models = normaliseModels(file.models, context.findings);
  const session = normaliseSession(context, file.session);
  const accounts = normaliseAccounts(context, file.channels, session.threadBindings);
  warnSharedMain(context, session, accounts);
  const agents = normaliseAgents(context, file.agents, models);
  const tools = normaliseTools(context, file.tools, models.providers);
  const servers = normaliseMcp(context, file.mcp);
  warnUnusedServers(context, servers, [tools.global, ...[...agents.agents.values()].map((agent) => agent.tools)]);
  return {
    store: normaliseStore(file.store, context),
    retention: normaliseRetention(context, file.store),
    http: normaliseHttp(file.http, context.findings),
    logging: { level: file.logging?.level ?? "info", content: file.logging?.content ?? false },
    models,
    ...agents,
    tools,
    mcp: { servers },
    session,
    messages: normaliseMessages(context, file.messages),
    delivery: { onUnconfirmed: file.delivery?.onUnconfirmed ?? "resend", maxChunks: file.delivery?.maxChunks ?? 8 },
    catchUpMaxAgeMs: normaliseCatchUp(context, file.catchUp),
    commands: normaliseCommands(context, file.commands),
    limits: normaliseLimits(file.limits, { agents: agents.agents, models }, context.findings),
    media: { maxBytes: file.media?.maxBytes ?? 20_971_520 },
    bindings: normaliseBindings(context, file.bindings, accounts),
    accounts,
    secrets,
  };
}
