import { TOKEN_MS } from "../interactions.ts";
import { messageView } from "../message-view.ts";
import { change, remove } from "../messages.ts";
import type { InteractionRecord, StoredMessage } from "../records.ts";
import { notFound, Refusal, unknownMessage } from "../refusal.ts";
import { FLAG } from "../wire-types.ts";
import { needsActive } from "./destination.ts";
import type { CallContext, MessageBody, OpenHandlers } from "./handler.ts";
import { postAnswer } from "./interaction-messages.ts";
import { edited } from "./messages.ts";

/** The acknowledged interaction whose token is in the path; other webhooks are not emulated. */
function interactionFor({ world, path }: CallContext): InteractionRecord {
  const record = [...world.interactions.values()].find((known) => known.token === path.webhook_token);
  if (record === undefined || record.bot.user.id !== path.webhook_id || record.callbackType === null) {
    throw notFound(10015, "Unknown Webhook");
  }
  if (world.clock() - record.createdAt > TOKEN_MS) throw new Refusal(401, 50027, "Invalid Webhook Token");
  return record;
}

function view({ world }: CallContext, record: InteractionRecord, stored: StoredMessage): object {
  return messageView(world, record.channel, stored, { bot: record.bot, content: true });
}

function messageOf(record: InteractionRecord, id: string | null): StoredMessage {
  const stored = record.channel.messages.get(id ?? "");
  if (stored === undefined || stored.deleted) throw unknownMessage();
  // The original of a pressed button may be an older message; any other must be of this interaction.
  if (id !== record.originalId && stored.interactionId !== record.id) throw unknownMessage();
  return stored;
}

function edit(context: CallContext, record: InteractionRecord, stored: StoredMessage, body: MessageBody): object {
  const { world, files } = context;
  needsActive(record.channel);
  const after = edited(world, record.channel, stored, { body, files });
  const loaded = (after.flags ?? stored.message.flags ?? 0) & ~FLAG.loading;
  change(world, record.channel, stored, { ...after, flags: loaded });
  if (stored.message.id === record.originalId) record.state = "answered";
  world.signals.changed();
  return view(context, record, stored);
}

function erase(context: CallContext, record: InteractionRecord, stored: StoredMessage): undefined {
  remove(context.world, record.channel, stored);
  return undefined;
}

function original(record: InteractionRecord): StoredMessage {
  return messageOf(record, record.originalId);
}

function named(context: CallContext, record: InteractionRecord): StoredMessage {
  return messageOf(record, context.path.message_id ?? null);
}

export const webhookRoutes: OpenHandlers<
  | "execute_webhook"
  | "get_original_webhook_message"
  | "update_original_webhook_message"
  | "delete_original_webhook_message"
  | "get_webhook_message"
  | "update_webhook_message"
  | "delete_webhook_message"
> = {
  execute_webhook: (context, body) => {
    const record = interactionFor(context);
    const first = record.channel.messages.get(record.originalId ?? "");
    // The first follow-up of a deferred answer takes its place.
    if (first !== undefined && !first.deleted && ((first.message.flags ?? 0) & FLAG.loading) !== 0) {
      return edit(context, record, first, body);
    }
    const ephemeral = ((body.flags ?? 0) & FLAG.ephemeral) !== 0;
    const stored = postAnswer(context, record, body, ephemeral);
    record.messageIds.push(stored.message.id);
    context.world.signals.changed();
    return view(context, record, stored);
  },

  get_original_webhook_message: (context) => {
    const record = interactionFor(context);
    return view(context, record, original(record));
  },

  update_original_webhook_message: (context, body) => {
    const record = interactionFor(context);
    return edit(context, record, original(record), body);
  },

  delete_original_webhook_message: (context) => {
    const record = interactionFor(context);
    return erase(context, record, original(record));
  },

  get_webhook_message: (context) => {
    const record = interactionFor(context);
    return view(context, record, named(context, record));
  },

  update_webhook_message: (context, body) => {
    const record = interactionFor(context);
    return edit(context, record, named(context, record), body);
  },

  delete_webhook_message: (context) => {
    const record = interactionFor(context);
    return erase(context, record, named(context, record));
  },
};
