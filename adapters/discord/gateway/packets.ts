import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import { isSnowflake, type Place } from "../address.ts";
import { type DiscordMessage, shapes } from "../inbound/content.ts";
import { readDeletion, readEdit, readMessage } from "../inbound/inbound.ts";
import type { DiscordIncoming, DiscordIntake } from "../inbound/intake.ts";
import { placeAsTold, placeChange, readThreadUpdate, type ThreadState, threadState } from "../inbound/place-changes.ts";
import type { Horizon } from "../missed/horizon.ts";
import type { Seen } from "../missed/seen.ts";
import type { Directory } from "./directory.ts";

/** An event of the gateway as it travels. */
export interface Packet {
  readonly t: string | null;
  /** Its number in the session. */
  readonly s: number | null;
  readonly d: unknown;
}

type Data = Readonly<Record<string, unknown>>;

export interface PacketsParts {
  readonly intake: DiscordIntake;
  readonly directory: Directory;
  readonly seen: Seen;
  readonly horizon: Pick<Horizon, "hold">;
  /** A guild is there, with its channels and active threads; nothing of it has come before. */
  readonly onGuild: (guild: Data) => void;
  /** A person uses a command, a button or an option: the limit of three seconds applies. */
  readonly onInteraction: (data: unknown) => void;
}

export interface Packets {
  /** A fresh session of a shard begins: what an earlier one has told of the newest messages says nothing about the gap. */
  greeted(shardId: number): void;
  newestIn(channelId: string): string | null;
  take(packet: Packet, shardId: number): void;
  /** A message from the history, in the order of its channel. */
  takeMessage(message: DiscordMessage): Promise<void>;
}

/** Results after which a conversation is one to catch up with: something of it was taken in (IN-14). */
const TAKEN: readonly string[] = ["accepted", "merged", "command", "kept", "duplicate"];

/** Sorts the gateway's events into lanes by channel; nothing slow happens here. */
export function createPackets({ intake, directory, seen, horizon, onGuild, onInteraction }: PacketsParts): Packets {
  /** Whether each thread took messages when last heard of. */
  const threads = new Map<string, ThreadState>();
  const newest = new Map<string, { readonly id: string; readonly shardId: number }>();

  function later(incoming: DiscordIncoming): void {
    intake.inOrder(incoming.channelId, async () => void (await intake.take(incoming)));
  }

  async function takeMessage(message: DiscordMessage): Promise<void> {
    const { channel_id: channelId, id } = message;
    const read: DiscordIncoming["read"] = (reading) => readMessage(shapes.message(message), reading);
    const result = await intake.take({ channelId, id, raw: message, read });
    await seen.note(channelId, id, result !== null && TAKEN.includes(result.result));
  }

  /** What is not on its way in completely has to be found again after a crash, also in conversations that were never read before (IN-14). */
  function held(guildId: unknown, message: DiscordMessage): () => void {
    const isTold = typeof guildId === "string" && typeof message.id === "string" && isSnowflake(message.id);
    return isTold ? horizon.hold(guildId, message.id) : () => undefined;
  }

  function threadChanged(data: Data): void {
    const thread = shapes.thread(data);
    const before = threads.get(thread.id) ?? null;
    const after = threadState(thread);
    threads.set(thread.id, after);
    directory.forget(thread.id);
    const facts = { id: thread.id, guildId: thread.guild_id ?? null, parentId: thread.parent_id ?? null };
    later({
      channelId: thread.id,
      id: thread.id,
      raw: data,
      place: placeAsTold(facts, typeof data.name === "string" ? data.name : null),
      read: (reading) => readThreadUpdate(before, after, reading),
    });
  }

  function gone(place: Place, what: NonNullable<InboundEvent["threadChange"]>["what"], raw: unknown): void {
    threads.delete(place.id);
    directory.forget(place.id);
    later({ channelId: place.id, id: place.id, raw, place, read: (reading) => placeChange(what, reading) });
  }

  function removed(data: Data): void {
    const text = (key: string): string | null => (typeof data[key] === "string" ? data[key] : null);
    const id = text("id");
    if (id === null) return;
    // The parent of a channel is a category, which is no place.
    const isThread = data.type === 10 || data.type === 11 || data.type === 12;
    gone(
      placeAsTold({ id, guildId: text("guild_id"), parentId: isThread ? text("parent_id") : null }, text("name")),
      "deleted",
      data,
    );
  }

  /** An outage of a guild is no removal. */
  function leftGuild(data: Data): void {
    if (data.unavailable === true || typeof data.id !== "string") return;
    for (const place of directory.placesOf(data.id)) gone(place, "bot_removed", { guild: data.id, channel: place.id });
  }

  function deleted(channelId: unknown, ids: readonly unknown[]): void {
    for (const id of ids) {
      const raw = { id, channel_id: channelId };
      later({
        channelId: String(channelId),
        id: String(id),
        raw,
        read: (reading) => readDeletion(shapes.deletion(raw).id, reading),
      });
    }
  }

  function noteThreads(list: unknown): void {
    for (const thread of Array.isArray(list) ? list : []) threads.set(shapes.thread(thread).id, threadState(thread));
  }

  /** A guild's channels and threads come with their newest message. */
  function noteNewest(list: unknown, shardId: number): void {
    for (const channel of Array.isArray(list) ? (list as readonly Data[]) : []) {
      const { id, last_message_id: last } = channel;
      if (typeof id === "string" && typeof last === "string") newest.set(id, { id: last, shardId });
    }
  }

  return {
    takeMessage,
    greeted(shardId) {
      for (const [channelId, told] of newest) if (told.shardId === shardId) newest.delete(channelId);
    },
    newestIn: (channelId) => newest.get(channelId)?.id ?? null,
    take({ t, d }, shardId) {
      const data: Data = typeof d === "object" && d !== null ? { ...d } : {};
      const channelId = String(data.channel_id ?? "");
      switch (t) {
        case "MESSAGE_CREATE": {
          // Its shape is checked where it is read.
          const message = d as DiscordMessage;
          const done = held(data.guild_id, message);
          intake.inOrder(channelId, () => takeMessage(message).then(() => done()));
          break;
        }
        case "MESSAGE_UPDATE":
          later({
            channelId,
            id: String(data.id),
            raw: d,
            read: (reading) => readEdit(shapes.message(d), reading),
          });
          break;
        case "MESSAGE_DELETE":
          deleted(data.channel_id, [data.id]);
          break;
        case "MESSAGE_DELETE_BULK":
          deleted(data.channel_id, Array.isArray(data.ids) ? data.ids : []);
          break;
        case "GUILD_CREATE":
          noteThreads(data.threads);
          noteNewest(data.threads, shardId);
          noteNewest(data.channels, shardId);
          onGuild(data);
          break;
        case "THREAD_LIST_SYNC":
          noteThreads(data.threads);
          noteNewest(data.threads, shardId);
          break;
        case "THREAD_CREATE":
          noteThreads([data]);
          break;
        case "THREAD_UPDATE":
          threadChanged(data);
          break;
        case "CHANNEL_UPDATE":
          directory.forget(String(data.id));
          break;
        case "THREAD_DELETE":
        case "CHANNEL_DELETE":
          removed(data);
          break;
        case "GUILD_DELETE":
          leftGuild(data);
          break;
        case "INTERACTION_CREATE":
          onInteraction(d);
          break;
        default:
          break;
      }
    },
  };
}
