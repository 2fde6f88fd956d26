import { type Client, type ClientOptions, Events, SimpleShardingStrategy, Status } from "discord.js";
import { GatewayOpcodes } from "discord-api-types/v10";
import { watchSilence } from "../../../src/channel/single-connection.ts";
import { KEEPS_SESSION } from "../missed/replay.ts";

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** A step of connecting that takes longer has failed. The library's own limits add up to almost two minutes. */
const HANDSHAKE_MS = 5_000;
const HELLO_MS = 5_000;
const READY_MS = 7_000;
/** A resume of which nothing came for so long is given up for a fresh session. */
const RESUME_MS = 6_000;
/** A shard that waits for this long without a guild is ready without it: some guild may be in an outage. */
const GUILDS_MS = 5_000;
/**
 * Discord asks for a heartbeat every 41 s only, far too seldom to be back within 10 s. A shard that was quiet is asked for a
 * sign of life; at one heartbeat per 2 s that stays far below the 120 frames a minute that Discord takes.
 */
const PROBE_MS = 2_000;
const SILENT_MS = 3_500;
const DEAD_MS = 6_000;
/** Who is silent does not answer a close frame either; the library would wait 30 s for that. */
const CLOSING_MS = 2_000;

const CLOSING = 2;

/** What is told of the shards of a client. */
export interface ShardEvents {
  /** Nothing was heard for a while. */
  readonly onSilent: (shardId: number) => void;
  /** It is heard again. */
  readonly onLife: (shardId: number) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** The connections of one client, watched by the adapter (CH-1, CH-6). */
export interface Shards {
  /** Goes into the client's options. */
  readonly options: Pick<ClientOptions, "waitGuildTimeout" | "ws">;
  /** Watches every shard of this client. */
  watch(client: Client, told: ShardEvents): void;
  /** Whether Discord has answered how many shards there are to be. */
  isSpawned(): boolean;
  /** Ends the watching, and every socket without ceremony. */
  end(): void;
}

/** A client's shards: each of its steps has an end, and a socket that is dead without a word is cut, which makes it resume. */
export function createShards(): Shards {
  let strategy: WatchedStrategy | null = null;
  const unwatch: (() => void)[] = [];
  const buildStrategy = (manager: Manager): SimpleShardingStrategy => {
    Object.assign(manager.options, { handshakeTimeout: HANDSHAKE_MS, helloTimeout: HELLO_MS, readyTimeout: READY_MS });
    strategy = new WatchedStrategy(manager);
    return strategy;
  };

  function watchShard(client: Client, id: number, told: ShardEvents): void {
    let packets = 0;
    client.on(Events.Raw, (_packet: unknown, shardId: number) => {
      if (shardId === id) packets += 1;
    });
    const shard = () => client.ws.shards.get(id);
    // An answered heartbeat shows in the ping, no matter which side asked.
    const heard = () => [packets, shard()?.ping, shard()?.status, strategy?.connections(id)].join(" ");
    const resuming = () => (shard()?.status === Status.Resuming ? String(packets) : {});
    unwatch.push(
      watchSilence(
        heard,
        [
          { afterMs: PROBE_MS, act: () => void strategy?.probe(id).catch(told.onTrouble) },
          { afterMs: SILENT_MS, act: () => told.onSilent(id) },
          { afterMs: DEAD_MS, act: () => strategy?.cut(id) },
        ],
        () => told.onLife(id),
      ),
      watchSilence(
        () => strategy?.socket(id)?.readyState,
        [{ afterMs: CLOSING_MS, act: () => strategy?.socket(id)?.readyState === CLOSING && strategy.cut(id) }],
      ),
      watchSilence(resuming, [{ afterMs: RESUME_MS, act: () => void strategy?.startAfresh(id).catch(told.onTrouble) }]),
    );
  }

  return {
    options: { waitGuildTimeout: GUILDS_MS, ws: { buildStrategy } },
    isSpawned: () => (strategy?.ids.length ?? 0) > 0,
    watch(client, told) {
      const begin = setInterval(() => {
        if (strategy === null || strategy.ids.length === 0) return;
        clearInterval(begin);
        for (const id of strategy.ids) watchShard(client, id, told);
      }, 100);
      unwatch.push(() => clearInterval(begin));
    },
    end() {
      for (const stop of unwatch.splice(0)) stop();
      for (const id of strategy?.ids ?? []) strategy?.cut(id);
    },
  };
}

interface Socket {
  readonly readyState: number;
  terminate(): void;
}

/** The library's own strategy, with a hand on the sockets. */
class WatchedStrategy extends SimpleShardingStrategy {
  readonly #manager: Manager;
  #ids: readonly number[] = [];
  readonly #sockets = new Map<number, { readonly socket: Socket; readonly count: number }>();

  constructor(manager: Manager) {
    super(manager);
    this.#manager = manager;
  }

  get ids(): readonly number[] {
    return this.#ids;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    this.#ids = [...shardIds];
  }

  /** The session is left to the next run, which hears from it what was said in between (IN-14). */
  override async destroy(options: Parameters<SimpleShardingStrategy["destroy"]>[0] = {}): Promise<void> {
    await super.destroy({ ...options, code: KEEPS_SESSION });
  }

  /** The socket of a shard. The library keeps it to itself, but ends a dead one only after half a minute. */
  socket(id: number): Socket | null {
    const shards: unknown = Reflect.get(this, "shards");
    const shard: unknown = shards instanceof Map ? shards.get(id) : undefined;
    if (typeof shard !== "object" || shard === null) return null;
    const socket: unknown = Reflect.get(shard, "connection");
    return isSocket(socket) ? socket : null;
  }

  /** How many sockets a shard has had, and how far the present one is. */
  connections(id: number): string {
    const socket = this.socket(id);
    if (socket === null) return "none";
    const before = this.#sockets.get(id);
    const count = (before?.count ?? 0) + (before?.socket === socket ? 0 : 1);
    this.#sockets.set(id, { socket, count });
    return `${count}/${socket.readyState}`;
  }

  /** Asks for a sign of life. Without an open socket it does nothing. */
  async probe(id: number): Promise<void> {
    if (this.socket(id)?.readyState !== 1) return;
    const session = await this.#manager.options.retrieveSessionInfo(id);
    await this.send(id, { op: GatewayOpcodes.Heartbeat, d: session?.sequence ?? null });
  }

  /** Ends a socket immediately. The library sees a broken connection and resumes. */
  cut(id: number): void {
    this.socket(id)?.terminate();
  }

  async startAfresh(id: number): Promise<void> {
    await this.#manager.options.updateSessionInfo(id, null);
    this.cut(id);
  }
}

function isSocket(value: unknown): value is Socket {
  return typeof value === "object" && value !== null && "terminate" in value && typeof value.terminate === "function";
}
