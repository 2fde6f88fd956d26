import { isDeepStrictEqual } from "node:util";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { McpServerSettings, Settings } from "../../core/settings.ts";
import { createRedactor, createSecretMask } from "../../core/text/redact.ts";
import { backoffMs, jittered, systemTimers } from "../../core/time.ts";
import type { ToolDefinition } from "../tool.ts";
import type { ConnectMcp } from "./sdk-client.ts";
import { createMcpServer, type McpServer, type McpServerReport } from "./server.ts";

/** Of all servers together: some models refuse more than 128 tools, and Switchyard has some of its own. */
export const MAX_TOOLS = 100;
/** Of all definitions together, about 32,000 tokens: what is said about tools must leave room for what people say. */
export const MAX_BYTES = 128 * 1024;
const START_MS = 30_000;
const LONGEST_BACKOFF_MS = 60_000;

/** All configured MCP servers (ST-42). */
export interface McpServers {
  /** What turns that begin now may be offered. */
  tools(): readonly ToolDefinition[];
  reports(): readonly McpServerReport[];
  /** Stops removed and changed servers, starts new ones; the others continue. Waits for nothing. */
  apply(settings: Settings): void;
  stop(): Promise<void>;
}

export interface McpServersDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly connect?: ConnectMcp;
  /** Milliseconds; default 30,000. */
  readonly startMs?: number;
  /** Default 1, 2, 4 … 60 seconds, with jitter. */
  readonly backoffMs?: (failures: number) => number;
}

/** Starts with no server; `apply` brings them. */
export function createMcpServers(deps: McpServersDeps): McpServers {
  const { log } = deps;
  const leaving = new Set<Promise<void>>();
  let servers: readonly McpServer[] = [];
  let masks = { mask: createSecretMask([]), redact: createRedactor([]) };
  let merged: { readonly parts: readonly (readonly ToolDefinition[])[]; readonly tools: readonly ToolDefinition[] } = {
    parts: [],
    tools: [],
  };
  let warned = "";

  function begin(settings: McpServerSettings): McpServer {
    return createMcpServer(settings, {
      connect: deps.connect ?? connectMcp,
      version: deps.version,
      now: () => deps.clock.now(),
      timers: systemTimers,
      log,
      mask: (text) => masks.mask(text),
      redact: (text) => masks.redact(text).text,
      startMs: settings.startMs ?? deps.startMs ?? START_MS,
      backoffMs: deps.backoffMs ?? waitFor,
    });
  }

  function leave(server: McpServer): void {
    const left = server.stop().finally(() => leaving.delete(left));
    leaving.add(left);
  }

  return {
    tools: () => {
      const parts = servers.map((server) => server.tools());
      const isSame = parts.length === merged.parts.length && parts.every((part, at) => part === merged.parts[at]);
      if (isSame) return merged.tools;
      const { tools, leftOut } = bounded(parts.flat());
      merged = { parts, tools };
      const text = leftOut.join(", ");
      if (text !== "" && text !== warned) {
        log.warn(
          { tools: leftOut },
          `${leftOut.length} tools of MCP servers are left out: ${MAX_TOOLS} tools and ${MAX_BYTES} bytes of definitions are offered at most; choose with mcp.servers.<name>.tools`,
        );
      }
      warned = text;
      return tools;
    },
    reports: () => servers.map((server) => server.report()),
    apply: ({ mcp, secrets }) => {
      masks = { mask: createSecretMask(secrets), redact: createRedactor(secrets) };
      const kept = new Map(
        servers.flatMap((server) => {
          const isSame = mcp.servers.some((wanted) => isDeepStrictEqual(wanted, server.settings));
          if (!isSame) leave(server);
          return isSame ? [[server.settings.name, server] as const] : [];
        }),
      );
      servers = mcp.servers.map((wanted) => kept.get(wanted.name) ?? begin(wanted));
    },
    stop: async () => {
      for (const server of servers) leave(server);
      servers = [];
      await Promise.all(leaving);
    },
  };
}

function bounded(offered: readonly ToolDefinition[]): {
  readonly tools: readonly ToolDefinition[];
  readonly leftOut: readonly string[];
} {
  const tools = new Map<string, ToolDefinition>();
  const leftOut: string[] = [];
  let bytes = 0;
  for (const tool of offered) {
    const size = Buffer.byteLength(JSON.stringify([tool.name, tool.description, tool.parameters()]));
    if (tools.has(tool.name) || tools.size >= MAX_TOOLS || bytes + size > MAX_BYTES) leftOut.push(tool.name);
    else {
      tools.set(tool.name, tool);
      bytes += size;
    }
  }
  return { tools: [...tools.values()], leftOut };
}

function waitFor(failures: number): number {
  return jittered(backoffMs({ firstMs: 1_000, longestMs: LONGEST_BACKOFF_MS }, failures));
}

/** The official client; loaded when the first server is connected, since it costs memory and time at import. */
export const connectMcp: ConnectMcp = async (server, options) => {
  const { connectWithSdk } = await import("./sdk-client.ts");
  return connectWithSdk(server, options);
};
