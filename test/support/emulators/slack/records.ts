import type { DeliveryQueue } from "./delivery.ts";
import type { SocketHub } from "./socket-hub.ts";

/** A message as the API shows it. Fields that are absent are left out, never `null`. */
export interface SlackMessage {
  type: "message";
  subtype?: string;
  text: string;
  ts: string;
  user?: string;
  bot_id?: string;
  app_id?: string;
  bot_profile?: Record<string, unknown>;
  username?: string;
  icons?: Record<string, unknown>;
  team?: string;
  client_msg_id?: string;
  blocks?: readonly unknown[];
  attachments?: readonly unknown[];
  files?: (FileObject | HiddenFile)[];
  thread_ts?: string;
  parent_user_id?: string;
  reply_count?: number;
  reply_users_count?: number;
  latest_reply?: string;
  reply_users?: string[];
  is_locked?: boolean;
  edited?: { user: string; ts: string };
  metadata?: Metadata;
  reactions?: Reaction[];
  root?: SlackMessage;
  streaming_state?: "in_progress" | "completed";
  /** Anything else a payload may carry. */
  [field: string]: unknown;
}

export interface Metadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

export interface Reaction {
  name: string;
  users: string[];
  count: number;
}

export interface FileObject {
  id: string;
  created: number;
  name: string;
  title: string;
  mimetype: string;
  filetype: string;
  user: string;
  size: number;
  mode: string;
  is_external: boolean;
  url_private: string;
  url_private_download: string;
  permalink: string;
}

/** What an event shows of a file from a shared channel: the rest must be asked for with files.info. */
export interface HiddenFile {
  id: string;
  mode: "file_access";
  file_access: "check_file_info";
}

export interface TeamRecord {
  id: string;
  name: string;
  domain: string;
}

export interface UserRecord {
  id: string;
  team: TeamRecord;
  name: string;
  realName: string;
  isBot: boolean;
  /** Bot users: their app. */
  app: AppRecord | null;
  deleted: boolean;
  timeZone: string;
}

export type TokenState = "valid" | "revoked" | "inactive";

/** One app, installed in one workspace. */
export interface AppRecord {
  id: string;
  name: string;
  team: TeamRecord;
  user: UserRecord;
  botId: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  scopes: Set<string>;
  /** Event types the app is subscribed to; null: every one its scopes allow. */
  events: Set<string> | null;
  tokenState: TokenState;
  /** The app is an assistant: its IMs have threads of their own with prompts, title and status. */
  assistant: boolean;
  sockets: SocketHub;
  deliveries: DeliveryQueue;
  /** Request URL of HTTP mode; null: Socket Mode. */
  requestUrl: string | null;
}

export interface StoredMessage {
  /** Order over everything that happens in one emulator. */
  seq: number;
  /** When it was stored, milliseconds since the epoch with fraction. */
  at: number;
  message: SlackMessage;
  /** Author's user id. */
  authorId: string;
  /** The app that posted it. */
  appId: string | null;
  deleted: boolean;
  /** Earlier forms, oldest first; grows with every change. */
  earlier: SlackMessage[];
}

/** A message only one person sees; it is not in the history. */
export interface EphemeralRecord {
  seq: number;
  /** Names it in what the person does with it. */
  ts: string;
  userId: string;
  appId: string;
  threadTs: string | null;
  text: string;
  blocks: readonly unknown[];
  /** Values of the options the app proposed, by action id: only one of them can be chosen. */
  offered: Map<string, Map<string, OptionObject>>;
}

/** One entry of a select. */
export interface OptionObject {
  text: { type: "plain_text"; text: string };
  value: string;
}

/** One setStatus, setTitle or setSuggestedPrompts. */
export interface AssistantAction {
  seq: number;
  at: number;
  appId: string;
  threadTs: string | null;
  kind: "status" | "title" | "prompts";
  /** The status or title; of prompts their JSON. */
  text: string;
}

/** Why a channel refuses an app's message. */
export type Restriction =
  | "restricted_action"
  | "restricted_action_read_only_channel"
  | "restricted_action_thread_only_channel"
  | "restricted_action_non_threadable_channel";

export type ConversationKind = "channel" | "private" | "im" | "mpim";

export interface ConversationRecord {
  id: string;
  kind: ConversationKind;
  name: string;
  team: TeamRecord;
  creator: string;
  created: number;
  topic: string;
  members: Set<string>;
  archived: boolean;
  deleted: boolean;
  /** Apps that post here are refused with this; null: they may. */
  restriction: Restriction | null;
  messages: Map<string, StoredMessage>;
  ephemerals: EphemeralRecord[];
  actions: AssistantAction[];
  /** Threads an app's assistant pane opened. */
  assistantThreads: Set<string>;
  /** Reading position of the test language's `botSays`, by thread. */
  readUpTo: Map<string | null, number>;
}

export interface FileRecord {
  object: FileObject;
  bytes: Buffer | null;
  appId: string | null;
  /** Path part of the upload URL. */
  uploadKey: string;
  completed: boolean;
  /** Who may see it: conversations it was shared in. */
  sharedIn: Set<string>;
  /** How many redirects a download goes through. */
  redirects: number;
  /** Status a download is answered with instead of the bytes. */
  refusedWith: number | null;
}

/** Where an app may answer an interaction: 5 times within 30 minutes. */
export interface ResponseUrlRecord {
  key: string;
  appId: string;
  userId: string;
  conversation: ConversationRecord;
  threadTs: string | null;
  /** The message whose button was pressed. */
  messageTs: string | null;
  until: number;
  usesLeft: number;
}

export interface TriggerRecord {
  id: string;
  appId: string;
  userId: string;
  until: number;
  used: boolean;
}

export interface ViewRecord {
  seq: number;
  id: string;
  appId: string;
  userId: string;
  view: Record<string, unknown>;
}
