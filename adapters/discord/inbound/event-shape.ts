import type { APIMessage } from "discord-api-types/v10";
import { z } from "zod";

const id = z.string().regex(/^[1-9]\d{0,19}$/, { error: "is no id" });
const user = z.looseObject({ id, username: z.string() });
const member = z.looseObject({ roles: z.array(z.string()), nick: z.string().nullish() });
const files = z.array(z.looseObject({ id, filename: z.string(), size: z.number(), url: z.string() }));
const written = {
  id,
  channel_id: id,
  guild_id: id.optional(),
  type: z.int(),
  author: user,
  content: z.string(),
  timestamp: z.string(),
  edited_timestamp: z.string().nullish(),
  webhook_id: id.nullish(),
  attachments: files,
  embeds: z.array(z.looseObject({})),
  member: member.optional(),
};
const message = z.looseObject({ ...written, referenced_message: z.looseObject(written).nullish() });

const interaction = z.looseObject({
  id,
  token: z.string().min(1),
  type: z.int(),
  application_id: id,
  channel_id: id.optional(),
  guild_id: id.optional(),
  user: user.optional(),
  member: z.looseObject({ roles: z.array(z.string()), nick: z.string().nullish(), user }).optional(),
  data: z
    .looseObject({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.looseObject({ name: z.string(), type: z.int() })).optional(),
    })
    .optional(),
});
const deletion = z.looseObject({ id, channel_id: id });
const threadUpdate = z.looseObject({
  id,
  parent_id: id.nullish(),
  guild_id: id.optional(),
  thread_metadata: z.looseObject({ archived: z.boolean(), locked: z.boolean().optional() }).optional(),
});

/** A message as the gateway and the history give it; the history leaves out guild and membership. */
export type DiscordMessage = APIMessage & {
  readonly guild_id?: string;
  readonly member?: { readonly nick?: string | null; readonly roles: string[] };
};

export type DiscordInteraction = z.infer<typeof interaction>;
export type DiscordThread = z.infer<typeof threadUpdate>;

/**
 * Each throws on a payload whose identity, place, sender or text is not what the platform promises, naming the field: such
 * an event is poison (IN-3), and reading it all the same would make sessions for people and channels that do not exist.
 */
export const shapes = {
  // Checked as far as it is read; the published type names the rest.
  message: (data: unknown): DiscordMessage => checked(message, data) as unknown as DiscordMessage,
  interaction: (data: unknown): DiscordInteraction => checked(interaction, data),
  deletion: (data: unknown): z.infer<typeof deletion> => checked(deletion, data),
  thread: (data: unknown): DiscordThread => checked(threadUpdate, data),
};

function checked<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`the event is malformed at ${issue?.path.join(".")}: ${issue?.message}`);
}
