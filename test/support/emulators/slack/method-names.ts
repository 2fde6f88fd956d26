/** Which token a method takes: a bot's (xoxb) or an app's (xapp). */
type TokenKind = "bot" | "app";

interface MethodFacts {
  /** Name of the arguments' type in `@slack/web-api`. */
  readonly args: string;
  /** Scopes the token must have. Where they hang on the kind of conversation, the handler asks for them. */
  readonly scopes: readonly string[];
  readonly token: TokenKind;
  /** Requests a minute and workspace (rate limit tiers 1–4); null: a rule of its own or none. */
  readonly perMinute: number | null;
}

function facts<Args extends string>(args: Args, perMinute: number | null, ...scopes: string[]) {
  return { args, scopes, token: "bot", perMinute } as const;
}

/** The implemented Web API methods. After a change here run `generate-schema.ts`. */
export const METHODS = {
  "apps.connections.open": {
    args: "AppsConnectionsOpenArguments",
    scopes: ["connections:write"],
    token: "app",
    // Tier 1 is "1+ per minute" with bursts; a client that reconnects must not be stopped by it here.
    perMinute: 20,
  },
  "assistant.threads.setStatus": facts("AssistantThreadsSetStatusArguments", 600),
  "assistant.threads.setSuggestedPrompts": facts(
    "AssistantThreadsSetSuggestedPromptsArguments",
    600,
    "assistant:write",
  ),
  "assistant.threads.setTitle": facts("AssistantThreadsSetTitleArguments", 600, "assistant:write"),
  "auth.test": facts("AuthTestArguments", null),
  "bots.info": facts("BotsInfoArguments", 50, "users:read"),
  "chat.appendStream": facts("ChatAppendStreamArguments", 100, "chat:write"),
  "chat.delete": facts("ChatDeleteArguments", 50, "chat:write"),
  "chat.getPermalink": facts("ChatGetPermalinkArguments", null),
  "chat.postEphemeral": facts("ChatPostEphemeralArguments", 100, "chat:write"),
  "chat.postMessage": facts("ChatPostMessageArguments", null, "chat:write"),
  "chat.startStream": facts("ChatStartStreamArguments", 20, "chat:write"),
  "chat.stopStream": facts("ChatStopStreamArguments", 20, "chat:write"),
  "chat.update": facts("ChatUpdateArguments", 50, "chat:write"),
  "conversations.history": facts("ConversationsHistoryArguments", 50),
  "conversations.info": facts("ConversationsInfoArguments", 50),
  "conversations.join": facts("ConversationsJoinArguments", 50, "channels:join"),
  "conversations.list": facts("ConversationsListArguments", 20),
  "conversations.members": facts("ConversationsMembersArguments", 100),
  "conversations.open": facts("ConversationsOpenArguments", 50),
  "conversations.replies": facts("ConversationsRepliesArguments", 50),
  "files.completeUploadExternal": facts("FilesCompleteUploadExternalArguments", 100, "files:write"),
  "files.getUploadURLExternal": facts("FilesGetUploadURLExternalArguments", 100, "files:write"),
  "files.info": facts("FilesInfoArguments", 100, "files:read"),
  "reactions.add": facts("ReactionsAddArguments", 50, "reactions:write"),
  "reactions.remove": facts("ReactionsRemoveArguments", 20, "reactions:write"),
  "team.info": facts("TeamInfoArguments", 50, "team:read"),
  "usergroups.list": facts("UsergroupsListArguments", 20, "usergroups:read"),
  "users.info": facts("UsersInfoArguments", 100, "users:read"),
  "users.list": facts("UsersListArguments", 20, "users:read"),
  "views.open": facts("ViewsOpenArguments", 100),
} as const satisfies Record<string, MethodFacts>;

export type MethodName = keyof typeof METHODS;

export const IMPLEMENTED_METHODS = Object.keys(METHODS) as MethodName[];

export function factsOf(method: MethodName): MethodFacts {
  return METHODS[method];
}
