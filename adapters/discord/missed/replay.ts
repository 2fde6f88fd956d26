import { GatewayOpcodes } from "discord-api-types/v10";
import type { Logger } from "../../../src/core/runtime.ts";
import type { DiscordMessage } from "../inbound/content.ts";

/** A connection that has replayed nothing after this time is closed. */
const REPLAY_MS = 3_000;
/** A connection that breaks is made again: what was missed comes no other way. So often, and after so long. */
const TRIES = 6;
const AGAIN_MS = 500;
/** Discord keeps a session after any other code than 1000 and 1001; this is the one discord.js resumes with. */
export const KEEPS_SESSION = 4200;
const GIVES_SESSION_UP = 1000;

/** A session of the gateway, as it can be taken up again. */
export interface GatewaySession {
  readonly id: string;
  readonly url: string;
  /** Everything up to this event is stored, or needs not be. */
  readonly seq: number;
}

export interface Replay {
  /** Resolves when all that was missed has come, or is known not to come; within half a minute. Never rejects. */
  readonly done: Promise<void>;
  /** Hands over the direct messages that have come, and from then on each as it comes, oldest first. */
  deliver(take: (message: DiscordMessage) => void): void;
  /** Ends the connection. `over`: the session can no longer be used; otherwise it can be resumed again. */
  end(over: boolean): void;
}

interface Frame {
  readonly op: number;
  readonly t: string | null;
  readonly d: unknown;
}

/**
 * Takes up the session of an earlier run to hear what was said in direct messages meanwhile (IN-14): a bot cannot list those, and
 * a fresh session tells nothing of the time before it. It stays until that one is there, so there is no moment in which nobody
 * listens. Resuming is no login (CH-1). Discord keeps a session for some minutes; of one it has forgotten nothing is heard.
 */
export function replay(session: GatewaySession, parts: { readonly token: string; readonly log: Logger }): Replay {
  const { token, log } = parts;
  const waiting: DiscordMessage[] = [];
  let take = (message: DiscordMessage): void => void waiting.push(message);
  let isOver = false;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const url = new URL(session.url);
  url.search = String(new URLSearchParams({ v: "10", encoding: "json" }));
  let socket: WebSocket | null = null;
  let timer: NodeJS.Timeout | null = null;
  let hasCome = false;

  function settle(): void {
    if (timer !== null) clearTimeout(timer);
    resolve();
  }

  function connect(tries: number): void {
    const line = new WebSocket(url);
    socket = line;
    // An error is followed by a close.
    const broken = (code: number): void => {
      if (socket !== line) return;
      log.debug({ code, tries }, "the connection that repeats what was missed is closed");
      if (timer !== null) clearTimeout(timer);
      if (isOver || hasCome) settle();
      else if (tries === TRIES) end(false, "Discord did not repeat what was missed in direct messages");
      else timer = setTimeout(() => connect(tries + 1), AGAIN_MS * tries).unref();
    };
    timer = setTimeout(() => {
      line.close(KEEPS_SESSION);
      broken(KEEPS_SESSION);
    }, REPLAY_MS).unref();
    line.addEventListener("message", ({ data }) => {
      if (isOver || socket !== line) return;
      const frame = readFrame(String(data));
      if (frame === null) end(true, "what Discord repeats cannot be read");
      else heard(line, frame);
    });
    line.addEventListener("error", () => log.debug({ tries }, "Discord cannot be asked for what was missed"));
    line.addEventListener("close", ({ code }) => broken(code));
  }

  function end(over: boolean, why?: string): void {
    if (why !== undefined && !isOver)
      log.info({ why }, "a first direct message of the time before this start may be missed");
    isOver = true;
    settle();
    socket?.close(over ? GIVES_SESSION_UP : KEEPS_SESSION);
  }

  function heard(line: WebSocket, { op, t, d }: Frame): void {
    switch (op) {
      case GatewayOpcodes.Hello: {
        const resume = { token, session_id: session.id, seq: session.seq };
        line.send(JSON.stringify({ op: GatewayOpcodes.Resume, d: resume }));
        break;
      }
      case GatewayOpcodes.InvalidSession:
        end(true, "Discord has forgotten the session");
        break;
      case GatewayOpcodes.Dispatch:
        if (t === "MESSAGE_CREATE" && isDirect(d)) take(d as DiscordMessage);
        else if (t === "RESUMED") {
          hasCome = true;
          settle();
        }
        break;
      default:
        break;
    }
  }

  connect(1);
  return {
    done,
    deliver(into) {
      take = into;
      for (const message of waiting.splice(0)) into(message);
    },
    end: (over) => end(over),
  };
}

function readFrame(text: string): Frame | null {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === "object" && frame !== null && "op" in frame ? (frame as Frame) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isDirect(message: unknown): boolean {
  return typeof message === "object" && message !== null && !("guild_id" in message);
}
