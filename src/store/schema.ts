import type {
  AccountStateTable,
  ConversationMessagesTable,
  ConversationsTable,
  DeliveriesTable,
  DeliveryActsTable,
  FailuresTable,
  PairedSendersTable,
  PairingRequestsTable,
} from "./tables/outside.ts";
import type {
  CompactionsTable,
  MessagesTable,
  MessageWordsTable,
  SessionAliasesTable,
  SessionIdsTable,
  SessionLineageTable,
  SessionsTable,
  StateEventsTable,
  WatchersTable,
} from "./tables/sessions.ts";
import type {
  BindingsTable,
  ChainsTable,
  CompletionsTable,
  ExchangesTable,
  HeldEventsTable,
  InboundEventsTable,
  InboxTable,
  PendingContextTable,
  RunsTable,
  SpendingTable,
  TimersTable,
  TurnsTable,
} from "./tables/work.ts";

export type * from "./tables/outside.ts";
export type * from "./tables/sessions.ts";
export type * from "./tables/work.ts";

/** Rows as the database holds them. Times are milliseconds since the epoch, flags are 0 or 1, `*_json` columns are JSON text. */
export interface Schema {
  sessions: SessionsTable;
  session_ids: SessionIdsTable;
  session_lineage: SessionLineageTable;
  session_aliases: SessionAliasesTable;
  messages: MessagesTable;
  compactions: CompactionsTable;
  message_words: MessageWordsTable;
  inbound_events: InboundEventsTable;
  inbox: InboxTable;
  turns: TurnsTable;
  runs: RunsTable;
  completions: CompletionsTable;
  exchanges: ExchangesTable;
  chains: ChainsTable;
  bindings: BindingsTable;
  held_events: HeldEventsTable;
  deliveries: DeliveriesTable;
  delivery_acts: DeliveryActsTable;
  timers: TimersTable;
  spending: SpendingTable;
  state_events: StateEventsTable;
  watchers: WatchersTable;
  pairing_requests: PairingRequestsTable;
  paired_senders: PairedSendersTable;
  pending_context: PendingContextTable;
  account_state: AccountStateTable;
  conversation_messages: ConversationMessagesTable;
  conversations: ConversationsTable;
  failures: FailuresTable;
}
