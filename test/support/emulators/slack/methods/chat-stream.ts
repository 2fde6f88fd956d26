import { checkBlocks, withIds } from "../blocks.ts";
import { change, post } from "../messages.ts";
import type { ConversationRecord, SlackMessage, StoredMessage } from "../records.ts";
import { refused } from "../refusal.ts";
import { checkedMetadata } from "./content.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { destination, knownConversation, messageAt, threadRoot } from "./place.ts";

interface Piece {
  markdown_text?: string | undefined;
  chunks?: readonly { type: string }[] | undefined;
}

/** A stream is over this long after its beginning, whatever was appended meanwhile. */
const STREAM_MS = 5 * 60_000;

const MARKDOWN_LENGTH = 12_000;

/** The Markdown a piece adds. Tasks and plans are kept as blocks. */
function added({ markdown_text, chunks = [] }: Piece): { text: string; blocks: Record<string, unknown>[] } {
  const texts = [markdown_text ?? ""];
  const blocks: Record<string, unknown>[] = [];
  for (const chunk of chunks) {
    // The schema has checked what each kind of chunk holds.
    const fields = chunk as Record<string, unknown> & { type: string };
    if (fields.type === "markdown_text") texts.push(String(fields.text));
    else if (fields.type === "blocks") blocks.push(...(fields.blocks as Record<string, unknown>[]));
    else blocks.push(fields);
  }
  if (texts.some((text) => text.length > MARKDOWN_LENGTH)) throw refused("msg_too_long");
  return { text: texts.join(""), blocks };
}

function streaming(context: CallContext, channel: string, ts: string): [ConversationRecord, StoredMessage] {
  const conversation = knownConversation(context, channel);
  const stored = messageAt(conversation, ts);
  if (stored.appId !== context.app.id) throw refused("message_not_owned_by_app");
  const isOver = context.world.clock() - stored.at > STREAM_MS;
  if (isOver || stored.message.streaming_state !== "in_progress") throw refused("message_not_in_streaming_state");
  return [conversation, stored];
}

function grown(message: SlackMessage, piece: Piece): SlackMessage {
  const { text, blocks } = added(piece);
  const all = [...(message.blocks ?? []), ...blocks];
  return { ...message, text: message.text + text, ...(all.length === 0 ? {} : { blocks: all }) };
}

export const chatStreamMethods: Handlers<"chat.startStream" | "chat.appendStream" | "chat.stopStream"> = {
  "chat.startStream": (context, args) => {
    const conversation = destination(context, args.channel, args.thread_ts);
    const root = threadRoot(conversation, args.thread_ts);
    if (root === null) throw refused("invalid_thread_ts");
    if (conversation.kind !== "im") {
      if (args.recipient_team_id === undefined) throw refused("missing_recipient_team_id");
      if (args.recipient_user_id === undefined) throw refused("missing_recipient_user_id");
    }
    context.spendMessage(conversation);
    const { text, blocks } = added(args);
    const stored = post(context.world, conversation, {
      author: context.app.user,
      content: { text, ...(blocks.length === 0 ? {} : { blocks }), streaming_state: "in_progress" },
      threadTs: root.message.ts,
      quiet: true,
    });
    return { channel: conversation.id, ts: stored.message.ts };
  },

  "chat.appendStream": (context, args) => {
    const [, stored] = streaming(context, args.channel, args.ts);
    if (args.markdown_text === undefined && args.chunks === undefined) throw refused("no_text");
    stored.earlier.push(structuredClone(stored.message));
    stored.message = grown(stored.message, args);
    context.world.signals.changed();
    return { channel: args.channel, ts: args.ts };
  },

  "chat.stopStream": (context, args) => {
    const [conversation, stored] = streaming(context, args.channel, args.ts);
    const blocks = args.blocks ?? [];
    checkBlocks(blocks);
    const metadata = checkedMetadata(args.metadata);
    const message = grown(stored.message, args);
    const all = [...(message.blocks ?? []), ...withIds(blocks, args.ts)];
    change(context.world, conversation, stored, {
      ...message,
      streaming_state: "completed",
      ...(all.length === 0 ? {} : { blocks: all }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    return { channel: args.channel, ts: args.ts, message: structuredClone(stored.message) };
  },
};
