import type { ChannelId } from "../ids.ts";

export const QUEUE_MODES = ["steer", "followup", "collect", "interrupt"] as const;
/** What becomes of a message that arrives during a turn (TN-3). */
export type QueueMode = (typeof QUEUE_MODES)[number];

export const QUEUE_DROPS = ["summarize", "old", "new"] as const;
/** What becomes of messages beyond the cap (TN-3). */
export type QueueDrop = (typeof QUEUE_DROPS)[number];

/** How messages of one conversation wait for their session's turns. */
export interface QueueSettings {
  readonly mode: QueueMode;
  /** So many people's messages may wait for a session. */
  readonly cap: number;
  readonly drop: QueueDrop;
  /** `collect`: how long nothing must have come before what waits becomes a turn, in milliseconds. */
  readonly quietMs: number;
}

/** What `/queue` set for one session; what it does not say is the configuration's. */
export type QueueOverride = Partial<QueueSettings>;

export const DEFAULT_QUEUE: QueueSettings = { mode: "steer", cap: 20, drop: "summarize", quietMs: 500 };
/** Bounds of what a person or the configuration may ask for; a beginning turn takes as many inputs as a full queue holds. */
export const MAX_QUEUE_CAP = 100;
export const MAX_QUIET_MS = 60_000;

export interface ConfiguredQueue extends QueueSettings {
  readonly byChannel: ReadonlyMap<ChannelId, QueueMode>;
}

/** The configuration's queue of a channel; null: of a conversation outside every channel. */
export function channelQueue(configured: ConfiguredQueue, channel: ChannelId | null): QueueSettings {
  const { byChannel, ...queue } = configured;
  const mode = channel === null ? undefined : byChannel.get(channel);
  return mode === undefined ? queue : { ...queue, mode };
}

/** With what the session itself was told (TN-3): it goes before the channel's, that before the general one. */
export function queueWith(queue: QueueSettings, override: QueueOverride | null): QueueSettings {
  return override === null ? queue : { ...queue, ...override };
}
