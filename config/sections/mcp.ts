import { resolve } from "node:path";
import { z } from "zod";
import { matchesName } from "../../src/core/ids.ts";
import type { McpServerSettings, ToolPolicyLayer } from "../../src/core/settings.ts";
import {
  BAD_SERVER_URL,
  badCallTime,
  badServerName,
  serverKeyMisplaced,
  serverTransport,
  unusedServer,
} from "../../src/core/texts/config/sections.ts";
import type { ConfigPath } from "../load/findings.ts";
import type { NormaliseContext } from "./context.ts";
import { duration, durationMs, filledText, flag, nameText, text, toolNames } from "./values.ts";

/** One MCP server (ST-42): either started with `command`, or reached at `url`. */
const server = z.strictObject({
  enabled: flag.optional(),
  command: filledText.optional(),
  args: z.array(text).optional(),
  env: z.record(filledText, text).optional(),
  cwd: filledText.optional(),
  url: filledText.optional(),
  headers: z.record(filledText, text).optional(),
  /** Of one call. */
  timeout: duration.optional(),
  /** Until it has shaken hands and listed its tools. */
  startTimeout: duration.optional(),
  /** Which of its tools are taken, by the server's own names; default all. */
  tools: toolNames.optional(),
});
export type McpServerSection = z.infer<typeof server>;

export const mcpSchema = z.strictObject({ servers: z.record(nameText, server).optional() });
type McpSection = z.infer<typeof mcpSchema>;

const DEFAULT_TIMEOUT_MS = 60_000;
/** Timers hold no more; a turn ends long before. */
const LONGEST_TIMEOUT_MS = 86_400_000;
/** The server's name stands in front of each of its tools' names, of which models take 64 characters. */
const LONGEST_NAME = 32;

/** The section `mcp` (ST-42); servers that are switched off are left out. */
export function normaliseMcp(context: NormaliseContext, section: McpSection | undefined): readonly McpServerSettings[] {
  return Object.entries(section?.servers ?? {}).flatMap(([name, server]) => {
    if (server.enabled === false) return [];
    const path = ["mcp", "servers", name];
    checkName(context, name, path);
    const transport = transportOf(context, server, path);
    if (transport === null) return [];
    const timeoutMs =
      server.timeout === undefined ? DEFAULT_TIMEOUT_MS : durationAt(context, server.timeout, [...path, "timeout"]);
    const startMs =
      server.startTimeout === undefined ? null : durationAt(context, server.startTimeout, [...path, "startTimeout"]);
    return [{ name, transport, timeoutMs, startMs, tools: server.tools ?? null }];
  });
}

function durationAt({ findings }: NormaliseContext, written: string | number, path: ConfigPath): number {
  const ms = durationMs(written);
  if (ms !== null && ms > 0) return Math.min(ms, LONGEST_TIMEOUT_MS);
  findings.fault(path, badCallTime(written));
  return DEFAULT_TIMEOUT_MS;
}

function checkName({ findings }: NormaliseContext, name: string, path: ConfigPath): void {
  if (name.includes("__") || name.endsWith("_") || name.length > LONGEST_NAME) {
    findings.fault(path, badServerName(name, LONGEST_NAME));
  }
}

function transportOf(
  { findings, baseDir }: NormaliseContext,
  { command, args, env, cwd, url, headers }: McpServerSection,
  path: ConfigPath,
): McpServerSettings["transport"] | null {
  const misplaced = (key: string, belongs: "command" | "url"): void =>
    findings.fault([...path, key], serverKeyMisplaced(belongs));
  if ((command === undefined) === (url === undefined)) {
    findings.fault(path, serverTransport(command === undefined ? "neither" : "both"));
    return null;
  }
  if (url !== undefined) {
    if (args !== undefined) misplaced("args", "command");
    if (env !== undefined) misplaced("env", "command");
    if (cwd !== undefined) misplaced("cwd", "command");
    if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
      findings.fault([...path, "url"], BAD_SERVER_URL);
    }
    return { kind: "http", url, headers: headers ?? {} };
  }
  if (headers !== undefined) misplaced("headers", "url");
  return { kind: "stdio", command: command ?? "", args: args ?? [], env: env ?? {}, cwd: resolve(baseDir, cwd ?? ".") };
}

/** A server whose tools no agent would be given is a mistake that nobody sees (TP-1: only the profile `full` has them by itself). */
export function warnUnusedServers(
  { findings }: NormaliseContext,
  servers: readonly McpServerSettings[],
  layers: readonly ToolPolicyLayer[],
): void {
  const wide = layers.some(({ profile }) => profile === "full");
  const added = layers.flatMap(({ alsoAllow }) => alsoAllow ?? []);
  for (const { name } of servers) {
    const isNamed = added.some((pattern) => matchesName(pattern, "group:mcp") || meansServer(pattern, name));
    if (wide || isNamed) continue;
    findings.warn(["mcp", "servers", name], unusedServer(name));
  }
}

/** True when a written tool name can mean a tool of the server; which tools there are, only the server knows. */
export function meansServer(pattern: string, server: string): boolean {
  const prefix = `${server}__`;
  const fixed = pattern.split("*")[0] ?? "";
  return fixed.startsWith(prefix) || (pattern.includes("*") && prefix.startsWith(fixed));
}
