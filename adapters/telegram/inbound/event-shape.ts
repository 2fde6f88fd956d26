import type { Update } from "grammy/types";
import { z } from "zod";

/** Safe integers only: a larger number was rounded when it was read, and may be somebody else's id. */
const id = z.int();
const chat = z.looseObject({ id, type: z.string() });
const person = z.looseObject({ id, first_name: z.string() });
const entities = z.array(z.looseObject({ type: z.string(), offset: z.int(), length: z.int() }));
const written = {
  message_id: id,
  date: z.int(),
  chat,
  from: person.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: entities.optional(),
  caption_entities: entities.optional(),
  message_thread_id: id.optional(),
  media_group_id: z.string().optional(),
  edit_date: z.int().optional(),
  migrate_to_chat_id: id.optional(),
  migrate_from_chat_id: id.optional(),
};
const message = z.looseObject({ ...written, reply_to_message: z.looseObject(written).optional() });
const callback = z.looseObject({
  id: z.string(),
  from: person,
  data: z.string().optional(),
  message: z.looseObject({ message_id: id, chat }).optional(),
});
const reaction = z.looseObject({ chat, message_id: id, date: z.int(), user: person.optional() });
const membership = z.looseObject({ chat, from: person, new_chat_member: z.looseObject({ status: z.string() }) });

const update = z.looseObject({
  message: message.optional(),
  edited_message: message.optional(),
  channel_post: message.optional(),
  edited_channel_post: message.optional(),
  callback_query: callback.optional(),
  message_reaction: reaction.optional(),
  my_chat_member: membership.optional(),
});

/**
 * Throws on an update whose identity, place, sender or text is not what the Bot API promises, naming the field: such an
 * update is poison (IN-3), and reading it all the same would make sessions for people and chats that do not exist.
 */
export function checkShape(given: Update): void {
  const parsed = update.safeParse(given);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new Error(`the update is malformed at ${issue?.path.join(".")}: ${issue?.message}`);
}
