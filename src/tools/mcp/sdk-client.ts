import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { McpServerSettings } from "../../core/settings.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";
import { httpTransport } from "./http-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

const PING_MS = 10_000;
/** With progress; without it a call ends at `mcp.servers.*.timeout`. */
const LONGEST_CALL_MS = 600_000;
/** How long a server on the network is given to hear that its session ends. */
const GOODBYE_MS = 1_000;
/** Several changes at once are one. */
const CHANGED_MS = 100;
/** Only what must be there: one odd tool must not hide the others, so each is checked by itself later. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const answer = z.looseObject({});

/**
 * Connects through the official client: handshake, cancelling, notifications and both transports are its business. A server on the
 * network that no longer knows the session has not carried out the call: a new session is made, and the call is sent once more (FC-323).
 */
export async function connectWithSdk(server: McpServerSettings, options: ConnectOptions): Promise<McpConnection> {
  let session = await openSession(server, options);
  if (server.transport.kind !== "http") return session;
  const closed = Promise.withResolvers<string>();
  const closing = new AbortController();
  let renewing: Promise<void> | null = null;

  const follow = (used: McpConnection): void =>
    void used.closed.then((reason) => {
      if (session === used && renewing === null) closed.resolve(reason);
    });

  async function renew(gone: McpConnection): Promise<void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(options.timeoutMs)]);
    const next = await openSession(server, { ...options, signal });
    session = next;
    follow(next);
    await gone.close();
    // Another program may answer there now, with other tools.
    options.onToolsChanged();
  }

  follow(session);
  return {
    closed: closed.promise,
    list: (limits) => session.list(limits),
    alive: () => session.alive(),
    call: async (tool, args, limits) => {
      const used = session;
      try {
        return await used.call(tool, args, limits);
      } catch (error) {
        if (!(error instanceof McpCallError) || error.kind !== "gone") throw error;
        if (session === used) {
          renewing ??= renew(used).finally(() => {
            renewing = null;
          });
        }
        try {
          await renewing;
        } catch {
          throw error;
        }
        return await session.call(tool, args, limits);
      }
    },
    close: async () => {
      closing.abort();
      await renewing?.catch(() => undefined);
      await session.close();
      closed.resolve(serverTexts.ending.closed);
    },
  };
}

/** One session, from its handshake to its end. */
async function openSession(server: McpServerSettings, options: ConnectOptions): Promise<McpConnection> {
  const client = new Client(
    { name: "switchyard", version: options.version },
    {
      capabilities: {},
      listChanged: {
        tools: { autoRefresh: false, debounceMs: CHANGED_MS, onChanged: () => options.onToolsChanged() },
      },
    },
  );
  const transport = transportOf(server, options);
  client.onerror = (error) => options.onLine(`[protocol] ${error.message}`.slice(0, 500));
  const closed = new Promise<string>((resolve) => {
    client.onclose = () =>
      resolve((transport instanceof StdioTransport ? transport.ending : null) ?? serverTexts.ending.closed);
  });
  try {
    await client.connect(transport, { signal: options.signal, timeout: options.timeoutMs });
  } catch (error) {
    // Of a process that ended by itself, how it ended says more than the broken handshake.
    const ending = transport instanceof StdioTransport ? transport.ending : null;
    await transport.close();
    throw ending === null ? error : new Error(ending, { cause: error });
  }
  return {
    closed,
    list: (limits) => listTools(client, limits),
    call: (tool, args, { signal, timeoutMs }) =>
      client
        .request({ method: "tools/call", params: { name: tool, arguments: args } }, answer, {
          signal,
          timeout: timeoutMs,
          // A server that says how far it is gets more time, up to a bound (FC-323).
          onprogress: () => undefined,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: Math.max(timeoutMs, LONGEST_CALL_MS),
        })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw callError(error);
        }),
    alive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        // A server that does not know the method has answered (FC-323).
        (error: unknown) => error instanceof ProtocolError,
      ),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await goodbye(transport);
      await client.close();
    },
  };
}

function transportOf({ transport, timeoutMs }: McpServerSettings, { onLine }: ConnectOptions): Transport {
  switch (transport.kind) {
    case "stdio":
      return new StdioTransport(transport, onLine);
    case "http":
      return httpTransport(transport, Math.max(timeoutMs, LONGEST_CALL_MS));
  }
}

async function listTools(
  client: Client,
  { signal, max }: { readonly signal: AbortSignal; readonly max: number },
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const found: unknown[] = [];
  // Each page has at least one tool or is the last, so a cursor that never ends is left after `max` pages.
  for (let cursor: string | undefined; found.length < max; ) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, page, { signal });
    found.push(...tools);
    if (nextCursor === undefined || tools.length === 0) break;
    cursor = nextCursor;
  }
  return found;
}

function callError(error: unknown): McpCallError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof SdkError ? error.code : null;
  if (error instanceof SdkHttpError && isGone(error)) return new McpCallError("gone", message, error);
  if (error instanceof ProtocolError || code === SdkErrorCode.InvalidResult)
    return new McpCallError("refused", message, error);
  return new McpCallError(code === SdkErrorCode.RequestTimeout ? "timeout" : "lost", message, error);
}

/** The specification says 404; many servers say 400 and name the session. */
function isGone({ status, message }: SdkHttpError): boolean {
  return status === 404 || (status === 400 && /session/i.test(message));
}

async function goodbye(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  await Promise.race([transport.terminateSession().catch(() => undefined), late]);
  clearTimeout(timer);
}

/**
 * Why a call has no answer. `refused`: the server said no; `timeout`: it did not answer in time; `lost`: the connection ended.
 * After the last two it is unknown whether it acted.
 */
export class McpCallError extends Error {
  override readonly name = "McpCallError";
  readonly kind: "refused" | "gone" | "timeout" | "lost";

  constructor(kind: McpCallError["kind"], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A connection to one server, initialized. */
export interface McpConnection {
  /** Everything the server lists, unchecked, up to `max` entries. */
  list(options: { readonly signal: AbortSignal; readonly max: number }): Promise<readonly unknown[]>;
  /** The server's answer, unchecked. Rejects with a McpCallError, or with the signal's reason. */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<unknown>;
  /** False when the server does not answer a ping in time. */
  alive(): Promise<boolean>;
  /** Resolves with the reason when either side has ended the connection. */
  readonly closed: Promise<string>;
  /** Ends the connection and the server's processes; resolves when they have exited. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly version: string;
  /** Ends the attempt, and with it the server's processes. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** One line of what the server writes beside the protocol. */
  readonly onLine: (line: string) => void;
  readonly onToolsChanged: () => void;
}

/** Starts or reaches a server and shakes hands. Rejects with what went wrong; then nothing is left running. */
export type ConnectMcp = (server: McpServerSettings, options: ConnectOptions) => Promise<McpConnection>;
