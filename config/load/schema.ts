import { z } from "zod";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { agentsSchema } from "../sections/agents.ts";
import { bindingSchema } from "../sections/bindings.ts";
import { type ChannelSections, channelSection } from "../sections/channels.ts";
import { commandsSchema } from "../sections/commands.ts";
import { httpSchema } from "../sections/http.ts";
import { limitsSchema } from "../sections/limits.ts";
import { mcpSchema } from "../sections/mcp.ts";
import { catchUpSchema, messagesSchema } from "../sections/messages.ts";
import { modelsSchema } from "../sections/models.ts";
import { sessionSchema } from "../sections/session.ts";
import { storeSchema } from "../sections/store.ts";
import { toolsSchema } from "../sections/tools.ts";
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
