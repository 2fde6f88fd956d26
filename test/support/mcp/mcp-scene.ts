import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { executeCall } from "../../../src/agent/turn/work.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { LogFields, Logger } from "../../../src/core/runtime.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { createMcpServers, type McpServers, type McpServersDeps } from "../../../src/tools/mcp/servers.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { testSettings } from "../test-settings.ts";

const ODD = fileURLToPath(new URL("./odd-server.ts", import.meta.url));
const MODULES = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/", import.meta.url));

/** How the misbehaving server is configured. */
export function oddServer(mode: string, file = ""): { command: string; args: string[] } {
  return { command: process.execPath, args: [ODD, mode, file] };
}

export function everythingServer(...args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(MODULES, "server-everything/dist/index.js"), ...args] };
}

export function filesystemServer(folder: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(MODULES, "server-filesystem/dist/index.js"), folder] };
}

/** Waits for what is true soon. */
export async function until<T>(look: () => T | null | undefined | false, what: string, withinMs = 20_000): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie waits for whoever started it, and runs nothing.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "");
  } catch {
    return false;
  }
}

export interface McpScene extends AsyncDisposable {
  readonly servers: McpServers;
  readonly logs: readonly { readonly level: string; readonly text: string }[];
  readonly folder: string;
  /** What the server wrote into its file. */
  written(): string;
  readonly file: string;
  names(): readonly string[];
  ready(name: string): Promise<void>;
  away(name: string): Promise<string>;
  /** Calls a tool as the model would. */
  call(name: string, args?: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  apply(mcp: object, env?: Readonly<Record<string, string>>): Settings;
}

/** MCP servers as the program runs them, with real processes. `mcp` is the configuration's `mcp.servers`; a function gets the file. */
export function mcpScene(
  mcp: object | ((file: string, folder: string) => object),
  options: { readonly env?: Readonly<Record<string, string>>; readonly deps?: Partial<McpServersDeps> } = {},
): McpScene {
  const folder = mkdtempSync(join(tmpdir(), "swy-mcp-"));
  const file = join(folder, "written");
  const logs: { level: string; text: string }[] = [];
  const clock = { now: () => Date.now() };
  const log = recordingLog(logs);
  const servers = createMcpServers({
    version: "1.2.3",
    clock,
    log,
    startMs: 20_000,
    backoffMs: () => 50,
    ...options.deps,
  });
  const apply = (section: object, env: Readonly<Record<string, string>> = {}): Settings => {
    const settings = testSettings({ mcp: { servers: section } }, { baseDir: folder, env });
    servers.apply(settings);
    return settings;
  };
  const settings = apply(typeof mcp === "function" ? mcp(file, folder) : mcp, options.env);
  const reportOf = (name: string) => servers.reports().find((report) => report.name === name);
  return {
    servers,
    logs,
    folder,
    file,
    written: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    names: () => servers.tools().map((tool) => tool.name),
    ready: async (name) => void (await until(() => reportOf(name)?.state === "ready", `${name} is ready`)),
    away: (name) =>
      until(() => (reportOf(name)?.state === "away" ? reportOf(name)?.lastError : null), `${name} is away`),
    call: async (name, args = {}, signal = new AbortController().signal) => {
      // The tools of servers use nothing else of a turn.
      const context = {
        settings,
        signal,
        log,
        slot: { released: (wait: () => unknown) => wait() },
      } as unknown as ToolContext;
      const end = await executeCall({ callId: randomUUID(), name, args }, servers.tools(), context);
      const [part] = end.message.parts;
      if (part?.type !== "tool_result") throw new Error("no result");
      return part.result as JsonObject;
    },
    apply,
    async [Symbol.asyncDispose]() {
      await servers.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function recordingLog(logs: { level: string; text: string }[]): Logger {
  const write = (level: string) => (fields: LogFields, message: string) =>
    void logs.push({ level, text: `${message} ${JSON.stringify(fields)}` });
  const log: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => log,
  };
  return log;
}
