import { z } from "zod";

const id = z.string().min(1);
const ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

const file = z.looseObject({
  id,
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  subtype: z.string().nullish(),
  size: z.number().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
  mode: z.string().nullish(),
});

/** What is attached is read field by field as it comes. */
const attached = z.looseObject({ is_share: z.boolean().optional(), is_msg_unfurl: z.boolean().optional() });

const message = z.looseObject({
  ts,
  thread_ts: ts.optional(),
  parent_user_id: id.optional(),
  user: id.optional(),
  bot_id: id.optional(),
  username: z.string().optional(),
  bot_profile: z.looseObject({ name: z.string().optional() }).optional(),
  user_profile: z
    .looseObject({ display_name: z.string().nullish(), real_name: z.string().nullish(), name: z.string().nullish() })
    .optional(),
  subtype: z.string().optional(),
  text: z.string().optional(),
  files: z.array(file).optional(),
  blocks: z.array(z.looseObject({})).optional(),
  attachments: z.array(attached).optional(),
  edited: z.looseObject({ ts }).optional(),
});

const inChannel = { channel: id, channel_type: z.string().optional(), event_ts: ts.optional() };
const written = message.extend(inChannel);
const changed = z.looseObject({ ...inChannel, ts, message, previous_message: message.optional() });
const deleted = z.looseObject({ ...inChannel, ts, deleted_ts: ts, previous_message: message.optional() });
const reaction = z.looseObject({
  user: id,
  reaction: z.string(),
  item: z.looseObject({ type: z.string(), channel: id.optional(), ts: ts.optional() }),
  item_user: id.optional(),
  event_ts: ts,
});
const place = z.looseObject({ channel: id, user: id.optional(), event_ts: ts.optional() });
const assistant = z.looseObject({
  assistant_thread: z.looseObject({ user_id: id.optional(), channel_id: id, thread_ts: ts }),
});

/** What Slack wraps around an event. */
const outer = z.looseObject({
  team_id: id.optional(),
  event_id: z.string().optional(),
  event_time: z.number().optional(),
  event: z.looseObject({ type: z.string(), subtype: z.string().optional() }),
});

const slash = z.looseObject({
  command: z.string().startsWith("/"),
  text: z.string().default(""),
  user_id: id,
  user_name: z.string().optional(),
  channel_id: id,
  channel_name: z.string().optional(),
  team_id: id.optional(),
  trigger_id: id,
  response_url: z.string().optional(),
});

/** What a person did with an element of a message. */
const blockActions = z.looseObject({
  user: z.looseObject({ id, name: z.string().optional() }),
  channel: z.looseObject({ id, name: z.string().optional() }).optional(),
  trigger_id: id,
  response_url: z.string().optional(),
  actions: z.array(
    z.looseObject({
      action_id: z.string(),
      block_id: z.string(),
      selected_option: z.looseObject({ value: z.string() }).nullish(),
    }),
  ),
});

/** What a person typed into a select with options from the app. */
const blockSuggestion = z.looseObject({
  user: z.looseObject({ id, name: z.string().optional() }),
  channel: z.looseObject({ id, name: z.string().optional() }).optional(),
  action_id: z.string(),
  block_id: z.string(),
  value: z.string().default(""),
});

export type SlackFile = z.infer<typeof file>;
export type SlackMessage = z.infer<typeof message>;
export type WrittenMessage = z.infer<typeof written>;
export type ChangedMessage = z.infer<typeof changed>;
export type DeletedMessage = z.infer<typeof deleted>;
export type Reaction = z.infer<typeof reaction>;
export type PlaceEvent = z.infer<typeof place>;
export type AssistantEvent = z.infer<typeof assistant>;
export type OuterEvent = z.infer<typeof outer>;
export type SlashCall = z.infer<typeof slash>;

/**
 * Each reads one kind of payload and throws on what is not shaped as Slack promises, naming the field: such an event is
 * poison (IN-3), and reading it all the same would make sessions for people and channels that do not exist.
 */
export const readOuter = reader(outer);
export const readWritten = reader(written);
export const readChanged = reader(changed);
export const readDeleted = reader(deleted);
export const readReactionShape = reader(reaction);
export const readPlace = reader(place);
export const readAssistant = reader(assistant);
export const readSlash = reader(slash);
export const readBlockActions = reader(blockActions);
export const readBlockSuggestion = reader(blockSuggestion);
export const readFile = reader(file);

function reader<T>(schema: z.ZodType<T>): (given: unknown) => T {
  return (given) => {
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`the event is malformed at ${issue?.path.join(".")}: ${issue?.message}`);
  };
}
