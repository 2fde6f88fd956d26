import { randomUUID } from "node:crypto";
import type { ConversationLog, LoggedMessage } from "../../channel/capabilities.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import {
  type ConversationMessage,
  conversationList,
  conversationMessage,
  conversationPeopleSince,
  conversationTail,
  sessionsInConversation,
} from "../../store/reads/inbound/conversations.ts";
import { appendToConversation } from "../../store/steps/inbound/conversation-append.ts";
import { deleteConversation } from "../../store/steps/inbound/conversation-delete.ts";
import { editInConversation } from "../../store/steps/inbound/conversation-edit.ts";
import { openConversation } from "../../store/steps/inbound/conversation-open.ts";
import { removeFromConversation } from "../../store/steps/inbound/conversation-remove.ts";
import { renameConversation } from "../../store/steps/inbound/conversation-rename.ts";
import { resetSession } from "../../store/steps/sessions/reset-session.ts";
import { setSessionSetting } from "../../store/steps/sessions/set-session-setting.ts";
import type { Store } from "../../store/store.ts";

/**
 * The message store of one account of an embedded platform (CH-4), kept in the bridge's own store.
 * Every method rejects with a StoreError; then nothing was changed.
 */
export function createConversationLog(store: Store, channel: ChannelId, accountId: AccountId): ConversationLog {
  const account = { channel, accountId };
  const logged = ({ to, threadId, ...message }: ConversationMessage): LoggedMessage => ({
    ...message,
    route: { channel, accountId, to, threadId },
  });
  return {
    async append({ route, ...message }) {
      const place = { ...account, to: route.to, threadId: route.threadId };
      const appended = await store.step(appendToConversation, { ...place, ...message });
      return appended === null ? null : { message: logged(appended.message), isNew: appended.isNew };
    },
    async edit(id, content) {
      const edited = await store.step(editInConversation, { ...account, id, html: content.html, text: content.text });
      return edited === null ? null : logged(edited);
    },
    remove: (id) => store.step(removeFromConversation, { ...account, id }),
    async get(id) {
      const message = await store.read(conversationMessage, { ...account, id });
      return message === null ? null : logged(message);
    },
    async tail(route, limit, before) {
      const place = { ...account, to: route.to, threadId: route.threadId };
      const messages = await store.read(conversationTail, { ...place, limit, before: before ?? null });
      return messages.map(logged);
    },
    open: (conversation) => store.step(openConversation, { ...account, ...conversation }),
    rename: (conversation) => store.step(renameConversation, { ...account, ...conversation }),
    async delete(to, threadId) {
      const place = { ...account, to, threadId };
      for (const sessionKey of await store.read(sessionsInConversation, place)) {
        const cause = `deleted:${randomUUID()}`;
        await store.step(resetSession, { sessionKey, cause, actor: channel, archiveAfterMs: null });
        await store.step(setSessionSetting, { key: sessionKey, setting: { name: "archived", value: true } });
      }
      await store.step(deleteConversation, place);
    },
    async find(to, threadId) {
      const all = await store.read(conversationList, account);
      return all.find((known) => known.to === to && known.threadId === threadId) ?? null;
    },
    list: () => store.read(conversationList, account),
    async peopleSince(since, limit) {
      const messages = await store.read(conversationPeopleSince, { ...account, since, limit });
      return messages.map(logged);
    },
  };
}
