import { ToolError } from "../../core/errors.ts";
import type { Logger } from "../../core/runtime.ts";
import type { McpServerSettings } from "../../core/settings.ts";
import { serverTexts } from "../../core/texts/agent/tool-calls.ts";
import type { Timers } from "../../core/time.ts";
import { pause } from "../../core/time.ts";
import type { ToolDefinition } from "../tool.ts";
import { adaptTools, type CallServer, resultOf } from "./adapt.ts";
import { type ConnectMcp, McpCallError, type McpConnection } from "./sdk-client.ts";

/** How a server does, for the operator. */
export interface McpServerReport {
  readonly name: string;
  /** `away`: its tools are not offered; it is retried. */
  readonly state: "starting" | "ready" | "away";
  readonly since: number;
  readonly tools: number;
  /** Without secrets. */
  readonly lastError: string | null;
}

export interface McpServer {
  readonly settings: McpServerSettings;
  /** What it offers now; none while it is away. */
  tools(): readonly ToolDefinition[];
  report(): McpServerReport;
  /** Resolves when its connection is closed and its processes have exited. */
  stop(): Promise<void>;
}

export interface McpServerDeps {
  readonly connect: ConnectMcp;
  readonly version: string;
  readonly now: () => number;
  readonly timers: Timers;
  readonly log: Logger;
  /** Takes configured secrets out of what models read. */
  readonly mask: (text: string) => string;
  /** Takes those and everything that looks like one out of what operators read. */
  readonly redact: (text: string) => string;
  readonly startMs: number;
  /** Before the first, second … try again. */
  readonly backoffMs: (failures: number) => number;
}

/** A longer list is not read completely. */
const MAX_LISTED = 2_000;
/** After a connection this long, the count of failures restarts. */
const STABLE_MS = 60_000;
const CHECK_MS = 60_000;
/** A server that comes and goes is warned of so often at most. */
const WARN_EVERY_MS = 600_000;
const MAX_ERROR = 500;
/** FC-406: so many of its lines are logged in a minute, and the others are counted. */
const LINES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

/**
 * Keeps one server connected, and never makes a caller wait for it: it connects beside everything else, is tried again with backoff when it
 * fails, and offers its tools only while it answers (ST-42).
 */
export function createMcpServer(settings: McpServerSettings, deps: McpServerDeps): McpServer {
  const { name } = settings;
  const { now, timers, mask, redact } = deps;
  const log = deps.log.child({ mcp: name });
  const stopping = new AbortController();
  const sayLeftOut = createLeftOutNote((line) => log.warn({}, `MCP server ${name}: left out ${redact(line)}`));
  let connection: McpConnection | null = null;
  let tools: readonly ToolDefinition[] = [];
  let calls = 0;
  let listing = 0;
  const written = createWritten(settings, { ...deps, log });
  /** Why the connection was ended from here; null: it ended by itself. */
  let cause: string | null = null;
  let report: Omit<McpServerReport, "name" | "tools"> = { state: "starting", since: now(), lastError: null };

  const call: CallServer = async (tool, args, context) => {
    const used = connection;
    if (used === null) throw new ToolError(serverTexts.away(name), { hint: serverTexts.goOn });
    calls += 1;
    try {
      const options = { signal: context.signal, timeoutMs: settings.timeoutMs };
      return resultOf(await context.slot.released(() => used.call(tool, args, options)), mask);
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      if (error.kind !== "refused") void check(used);
      throw toolErrorOf(error, settings, mask);
    } finally {
      calls -= 1;
    }
  };

  /** A server that does not even answer a ping is restarted. */
  async function check(used: McpConnection): Promise<void> {
    if (!(await used.alive())) await lose(used, serverTexts.ending.silent);
  }

  async function lose(used: McpConnection, reason: string): Promise<void> {
    if (connection !== used) return;
    connection = null;
    tools = [];
    cause = reason;
    await closeQuietly(used);
  }

  async function closeQuietly(used: McpConnection): Promise<void> {
    try {
      await used.close();
    } catch (error) {
      log.warn({ err: redact(errorText(error)) }, `MCP server ${name} could not be closed in order`);
    }
  }

  async function refresh(used: McpConnection): Promise<void> {
    listing += 1;
    const mine = listing;
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(deps.startMs)]);
    const listed = await used.list({ signal, max: MAX_LISTED });
    if (connection !== used || mine !== listing) return;
    const adapted = adaptTools(settings, listed, call);
    tools = adapted.tools;
    sayLeftOut(adapted.leftOut);
  }

  function onToolsChanged(): void {
    const used = connection;
    if (used === null) return;
    refresh(used).then(
      () => log.info({ tools: tools.length }, `MCP server ${name} changed its tools`),
      (error: unknown) => lose(used, serverTexts.ending.tools(errorText(error))),
    );
  }

  /** One connection, from its handshake to its end; resolves with why it ended. */
  async function live(): Promise<string> {
    let used: McpConnection | null = null;
    try {
      used = await deps.connect(settings, {
        version: deps.version,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(deps.startMs)]),
        timeoutMs: deps.startMs,
        onLine: written.take,
        onToolsChanged,
      });
      connection = used;
      await refresh(used);
      report = { state: "ready", since: now(), lastError: null };
      log.info({ tools: tools.length }, `MCP server ${name} is ready`);
      return await Promise.race([used.closed, watch(used)]);
    } catch (error) {
      return errorText(error);
    } finally {
      connection = null;
      tools = [];
      if (used !== null) await closeQuietly(used);
    }
  }

  /** Looks now and then whether an idle server still answers. */
  async function watch(used: McpConnection): Promise<string> {
    for (;;) {
      await pause(CHECK_MS, stopping.signal, timers);
      if (stopping.signal.aborted) return serverTexts.ending.stopped;
      if (connection !== used) return used.closed;
      // A server that works on a call may have no time for a ping; the call's own limit finds it out.
      if (calls === 0 && !(await used.alive())) return serverTexts.ending.silent;
    }
  }

  async function run(): Promise<void> {
    let warnedAt = Number.NEGATIVE_INFINITY;
    for (let failures = 0; !stopping.signal.aborted; ) {
      const began = now();
      written.forget();
      const ending = await live();
      if (stopping.signal.aborted) return;
      const lastError = redact(serverTexts.wrote(cause ?? ending, written.last())).slice(0, MAX_ERROR);
      cause = null;
      const isNews = report.state !== "away";
      report = { state: "away", since: isNews ? now() : report.since, lastError };
      failures = now() - began > STABLE_MS ? 1 : failures + 1;
      const delayMs = Math.round(deps.backoffMs(failures));
      if (isNews && now() - warnedAt > WARN_EVERY_MS) {
        warnedAt = now();
        log.warn({ delayMs }, `MCP server ${name} is away and its tools with it: ${lastError}. It is tried again`);
      } else log.debug({ delayMs, err: lastError }, `MCP server ${name} is still away`);
      await pause(delayMs, stopping.signal, timers);
    }
  }

  const ended = run();
  return {
    settings,
    tools: () => tools,
    report: () => ({ name, ...report, tools: tools.length }),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** What the server writes beside the protocol: logged up to a number of lines, since it may write for ever. */
function createWritten(
  { name }: McpServerSettings,
  { now, redact, log }: Pick<McpServerDeps, "now" | "redact" | "log">,
) {
  let last = "";
  let lines = 0;
  let since = Number.NEGATIVE_INFINITY;
  return {
    take: (line: string): void => {
      last = line;
      if (now() - since >= MINUTE_MS) {
        const left = lines - LINES_PER_MINUTE;
        if (left > 0) log.debug({ lines: left }, `MCP server ${name} wrote more lines than are logged`);
        since = now();
        lines = 0;
      }
      lines += 1;
      if (lines <= LINES_PER_MINUTE) log.debug({ line: redact(line) }, `MCP server ${name} writes`);
    },
    last: (): string => redact(last),
    forget: (): void => {
      last = "";
    },
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the model is told of a call that brought no result. */
function toolErrorOf(
  error: McpCallError,
  { name, timeoutMs }: McpServerSettings,
  mask: (text: string) => string,
): ToolError {
  const unknown = serverTexts.unknownOutcome;
  switch (error.kind) {
    case "refused":
      return new ToolError(serverTexts.refused(name, mask(error.message).slice(0, MAX_ERROR)));
    case "gone":
      return new ToolError(serverTexts.away(name), { hint: serverTexts.goOn });
    case "timeout":
      return new ToolError(serverTexts.timeout(name, timeoutMs), {
        hint: unknown,
      });
    case "lost":
      return new ToolError(serverTexts.lost(name), { hint: unknown });
  }
}

/** Says each tool that is not offered once, however often the server lists it. */
function createLeftOutNote(say: (line: string) => void) {
  const said = new Set<string>();
  return (lines: readonly string[]): void => {
    for (const line of lines) {
      if (said.has(line) || said.size > MAX_LISTED) continue;
      said.add(line);
      say(line);
    }
  };
}
