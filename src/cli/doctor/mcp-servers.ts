import type { DoctorFinding } from "../../channel/descriptor.ts";
import type { McpServerSettings, Settings } from "../../core/settings.ts";
import { createRedactor } from "../../core/text/redact.ts";
import {
  fine,
  fixCommand,
  fixUrl,
  serverFails,
  serverFine,
  serverSilent,
  serverSubject,
  toolSkipped,
} from "../../core/texts/cli/doctor.ts";
import { adaptTools } from "../../tools/mcp/adapt.ts";
import type { McpConnection } from "../../tools/mcp/sdk-client.ts";
import { connectMcp } from "../../tools/mcp/servers.ts";

const MAX_LISTED = 2_000;

/** Every MCP server starts or answers, and its tools can be used (ST-42). Each is tried for at most `patienceMs`, beside the others. */
export async function checkServers(
  settings: Settings,
  version: string,
  patienceMs: number,
): Promise<readonly DoctorFinding[]> {
  const redact = createRedactor(settings.secrets);
  const found = await Promise.all(
    settings.mcp.servers.map((server) =>
      checkServer(server, { version, patienceMs, mask: (text) => redact(text).text }),
    ),
  );
  return found.flat();
}

interface CheckOptions {
  readonly version: string;
  readonly patienceMs: number;
  readonly mask: (text: string) => string;
}

async function checkServer(
  server: McpServerSettings,
  { version, patienceMs, mask }: CheckOptions,
): Promise<readonly DoctorFinding[]> {
  const subject = serverSubject(server.name);
  const signal = AbortSignal.timeout(patienceMs);
  let lastLine = "";
  let connection: McpConnection | null = null;
  try {
    const onLine = (line: string): void => {
      lastLine = line;
    };
    const options = { version, signal, timeoutMs: patienceMs, onLine, onToolsChanged: () => undefined };
    connection = await connectMcp(server, options);
    const listed = await connection.list({ signal, max: MAX_LISTED });
    const { tools, leftOut } = adaptTools(server, listed, notCalled);
    return [
      { level: "ok", subject, ...fine(serverFine(tools.length)) },
      ...leftOut.map(
        (line): DoctorFinding => ({
          level: "warning",
          subject,
          ...fine(toolSkipped(mask(line))),
        }),
      ),
    ];
  } catch (error) {
    const reason = signal.aborted ? serverSilent(patienceMs) : textOf(error);
    const message = mask(serverFails(reason, lastLine));
    const { transport } = server;
    const fix =
      transport.kind === "stdio"
        ? fixCommand(mask([transport.command, ...transport.args].join(" ")), server.name)
        : fixUrl(server.name);
    return [{ level: "error", subject, message, fix }];
  } finally {
    await connection?.close();
  }
}

const notCalled = (): Promise<never> => Promise.reject(new Error("the check never calls a tool"));

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
