import { z } from "zod";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { MAX_QUEUE_CAP, QUEUE_DROPS } from "../../src/core/message/queue.ts";
import { CHAT_TYPES } from "../../src/core/settings.ts";
import { agents, limits, models, tools } from "../sections/agent-schemas.ts";
import { binding, channelSection } from "../sections/channels.ts";
import { mcp } from "../sections/mcp.ts";
import {
  countFromOne,
  dmScope,
  duration,
  filledText,
  flag,
  groupScope,
  ids,
  queueMode,
  resetPolicy,
  threadBindings,
} from "../sections/values.ts";

const store = z.strictObject({
  url: filledText.optional(),
  retention: z
    .strictObject({ events: duration.optional(), records: duration.optional(), sessions: duration.optional() })
    .optional(),
});
const http = z.strictObject({
  host: filledText.optional(),
  port: z.int().min(0).max(65_535).optional(),
  token: z.string().min(8).optional(),
});
const logging = z.strictObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).optional(),
  content: flag.optional(),
});

const sendAction = z.enum(["allow", "deny"]);

const session = z.strictObject({
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

const messages = z.strictObject({
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
  edits: z.enum(["ignore", "notify"]).optional(),
  implicitMentions: z.strictObject({ replyToBot: flag.optional(), threadParticipation: flag.optional() }).optional(),
});

/** Everything but the channels: their part depends on which adapters there are. */
const general = z.strictObject({
  $schema: z.string().optional(),
  store: store.optional(),
  http: http.optional(),
  logging: logging.optional(),
  models: models.optional(),
  agents: agents.optional(),
  tools: tools.optional(),
  mcp: mcp.optional(),
  session: session.optional(),
  messages: messages.optional(),
  delivery: z
    .strictObject({
      onUnconfirmed: z.enum(["resend", "hold"]).optional(),
      maxChunks: z.int().min(1).max(100).optional(),
    })
    .optional(),
  catchUp: z.strictObject({ maxAge: duration.optional() }).optional(),
  commands: z
    .strictObject({
      ownerAllowFrom: ids.optional(),
      adminAllowFrom: ids.optional(),
      allowFrom: ids.optional(),
      config: flag.optional(),
    })
    .optional(),
  limits: limits.optional(),
  media: z.strictObject({ maxBytes: countFromOne.max(1_073_741_824).optional() }).optional(),
  bindings: z.array(binding).optional(),
});
export type GeneralSections = z.infer<typeof general>;
export type MessagesSection = z.infer<typeof messages>;
export type SessionSection = z.infer<typeof session>;

/** A checked configuration file. The channels' sections are read by the part that knows their adapters. */
export interface ConfigFile extends GeneralSections {
  readonly channels?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
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
