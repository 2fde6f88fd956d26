import type { AssistantAction, ConversationRecord } from "../records.ts";
import { refused } from "../refusal.ts";
import type { CallContext, Handlers } from "./handler.ts";
import { joinedConversation, needScope, threadRoot } from "./place.ts";

type AssistantMethods =
  | "assistant.threads.setStatus"
  | "assistant.threads.setSuggestedPrompts"
  | "assistant.threads.setTitle";

const MOST_PROMPTS = 4;

function note(
  context: CallContext,
  conversation: ConversationRecord,
  action: Pick<AssistantAction, "kind" | "text" | "threadTs">,
): Record<string, unknown> {
  const { world, app } = context;
  conversation.actions.push({ seq: world.nextSeq(), at: world.clock(), appId: app.id, ...action });
  world.signals.changed();
  return {};
}

/** Titles and prompts belong to the threads of an assistant's IM. */
function assistantThread(context: CallContext, channel: string, threadTs: string | undefined): ConversationRecord {
  const conversation = joinedConversation(context, channel);
  if (conversation.kind !== "im" || !context.app.assistant) throw refused("not_allowed");
  if (threadTs !== undefined) threadRoot(conversation, threadTs);
  return conversation;
}

export const assistantMethods: Handlers<AssistantMethods> = {
  "assistant.threads.setStatus": (context, args) => {
    needScope(context.app, "chat:write", "assistant:write");
    const conversation = joinedConversation(context, args.channel_id);
    threadRoot(conversation, args.thread_ts);
    if ((args.loading_messages ?? []).length > 10) throw refused("invalid_arguments");
    return note(context, conversation, { kind: "status", text: args.status, threadTs: args.thread_ts });
  },

  "assistant.threads.setSuggestedPrompts": (context, args) => {
    const conversation = assistantThread(context, args.channel_id, args.thread_ts);
    if (args.prompts.length === 0 || args.prompts.length > MOST_PROMPTS) throw refused("invalid_arguments");
    const text = JSON.stringify(args.prompts);
    return note(context, conversation, { kind: "prompts", text, threadTs: args.thread_ts ?? null });
  },

  "assistant.threads.setTitle": (context, args) => {
    const conversation = assistantThread(context, args.channel_id, args.thread_ts);
    return note(context, conversation, { kind: "title", text: args.title, threadTs: args.thread_ts });
  },
};
