import type * as Web from "@slack/web-api";
import type { METHODS, MethodName } from "./method-names.ts";

/** Argument types by name, as far as methods are implemented. */
interface Types {
  AppsConnectionsOpenArguments: Web.AppsConnectionsOpenArguments;
  AssistantThreadsSetStatusArguments: Web.AssistantThreadsSetStatusArguments;
  AssistantThreadsSetSuggestedPromptsArguments: Web.AssistantThreadsSetSuggestedPromptsArguments;
  AssistantThreadsSetTitleArguments: Web.AssistantThreadsSetTitleArguments;
  AuthTestArguments: Web.AuthTestArguments;
  BotsInfoArguments: Web.BotsInfoArguments;
  ChatAppendStreamArguments: Web.ChatAppendStreamArguments;
  ChatDeleteArguments: Web.ChatDeleteArguments;
  ChatGetPermalinkArguments: Web.ChatGetPermalinkArguments;
  ChatPostEphemeralArguments: Web.ChatPostEphemeralArguments;
  ChatPostMessageArguments: Web.ChatPostMessageArguments;
  ChatStartStreamArguments: Web.ChatStartStreamArguments;
  ChatStopStreamArguments: Web.ChatStopStreamArguments;
  ChatUpdateArguments: Web.ChatUpdateArguments;
  ConversationsHistoryArguments: Web.ConversationsHistoryArguments;
  ConversationsInfoArguments: Web.ConversationsInfoArguments;
  ConversationsJoinArguments: Web.ConversationsJoinArguments;
  ConversationsListArguments: Web.ConversationsListArguments;
  ConversationsMembersArguments: Web.ConversationsMembersArguments;
  ConversationsOpenArguments: Web.ConversationsOpenArguments;
  ConversationsRepliesArguments: Web.ConversationsRepliesArguments;
  FilesCompleteUploadExternalArguments: Web.FilesCompleteUploadExternalArguments;
  FilesGetUploadURLExternalArguments: Web.FilesGetUploadURLExternalArguments;
  FilesInfoArguments: Web.FilesInfoArguments;
  ReactionsAddArguments: Web.ReactionsAddArguments;
  ReactionsRemoveArguments: Web.ReactionsRemoveArguments;
  TeamInfoArguments: Web.TeamInfoArguments;
  UsergroupsListArguments: Web.UsergroupsListArguments;
  UsersInfoArguments: Web.UsersInfoArguments;
  UsersListArguments: Web.UsersListArguments;
  ViewsOpenArguments: Web.ViewsOpenArguments;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, Key extends PropertyKey> = T extends unknown ? (Key extends keyof T ? T[Key] : undefined) : never;
type RequiredKeys<T> = { [Key in keyof T]-?: undefined extends T[Key] ? never : Key }[keyof T];

/** A union of argument shapes laid out flat, as the schema has them: see `generate-schema.ts`. */
type Flat<T> = { [Key in Extract<KeysOf<T>, RequiredKeys<T>>]: ValueOf<T, Key> } & {
  [Key in Exclude<KeysOf<T>, RequiredKeys<T>>]?: ValueOf<T, Key>;
};

/** The validated arguments of a method, as a handler receives them. */
export type MethodArgs<Name extends MethodName> = Flat<NonNullable<Types[(typeof METHODS)[Name]["args"]]>>;

/** What a method answers with besides `ok`. */
export type MethodResult = Record<string, unknown>;
