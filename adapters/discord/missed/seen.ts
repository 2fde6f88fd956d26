import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { compareIds } from "../address.ts";

/** How many conversations are read again after a gap; the longest unused are forgotten first. */
const MOST_CONVERSATIONS = 2_000;

export interface Seen {
  /** The conversations to catch up with: those in which something was taken in. */
  conversations(): readonly string[];
  /** Everything up to this message is stored; null: the conversation is not followed. */
  upTo(channelId: string): Promise<string | null>;
  /** A message is stored or known to need nothing. `follow`: its conversation is one to catch up with from now on. */
  note(channelId: string, messageId: string, follow: boolean): Promise<void>;
  /**
   * A conversation that the bot created is caught up with even before a person has written in it; everything after this id is
   * read. One that is followed already keeps its place.
   */
  follow(channelId: string, fromId: string): Promise<void>;
  forget(channelId: string): Promise<void>;
}

/**
 * Up to where each conversation was read, kept durably and by the bot's own id (IN-3, IN-14, FC-079). It never passes a message
 * that is not stored: what is noted came in the order of its conversation.
 */
export async function openSeen(host: Pick<AdapterHost, "state">, botId: string): Promise<Seen> {
  const listKey = `conversations:${botId}`;
  const seenKey = (channelId: string): string => `seen:${botId}:${channelId}`;
  const followed = new Set(readList(await host.state.get(listKey)));
  const known = new Map<string, string>();

  async function saveList(): Promise<void> {
    for (const id of followed) {
      if (followed.size <= MOST_CONVERSATIONS) break;
      followed.delete(id);
    }
    await host.state.set(listKey, JSON.stringify([...followed]));
  }

  async function upTo(channelId: string): Promise<string | null> {
    if (!followed.has(channelId)) return null;
    const value = known.get(channelId) ?? (await host.state.get(seenKey(channelId)));
    if (value === null || value === "") return null;
    known.set(channelId, value);
    return value;
  }

  return {
    conversations: () => [...followed],
    upTo,
    async note(channelId, messageId, follow) {
      if (!followed.has(channelId)) {
        if (!follow) return;
        followed.add(channelId);
        await saveList();
      }
      const before = await upTo(channelId);
      if (before !== null && compareIds(messageId, before) <= 0) return;
      await host.state.set(seenKey(channelId), messageId);
      known.set(channelId, messageId);
    },
    async follow(channelId, fromId) {
      if (followed.has(channelId)) return;
      followed.add(channelId);
      await host.state.set(seenKey(channelId), fromId);
      known.set(channelId, fromId);
      await saveList();
    },
    async forget(channelId) {
      known.delete(channelId);
      if (followed.delete(channelId)) await saveList();
    },
  };
}

function readList(text: string | null): readonly string[] {
  const parsed: unknown = text === null ? [] : JSON.parse(text);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
