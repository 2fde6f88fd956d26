import { type RawBuilder, sql } from "kysely";

/** A place as somebody names it: `to` alone is a conversation or a thread; with `threadId` it is that thread of `to`. */
export interface NamedPlace {
  readonly to: string;
  readonly threadId?: string | undefined;
}

/** Whether a row's `conversation` (`conversationKey`) is the place. On Telegram two groups may have a topic of the same id. */
export function inConversation({ to, threadId }: NamedPlace): RawBuilder<boolean> {
  const ids = threadId === undefined ? [to] : [to, threadId];
  const part = `/${ids.map(encodeURIComponent).join("/")}/`;
  return sql<boolean>`instr(conversation || '/', ${part}) > 0`;
}
