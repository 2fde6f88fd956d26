import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { BridgeError } from "../../core/errors.ts";
import type { Logger } from "../../core/runtime.ts";
import { alreadyRunning, noSuchMethod, REQUEST_TOO_LARGE, socketPathTooLong } from "../../core/texts/cli/answers.ts";
import { CONTROL_INPUTS, type ControlApi, type ControlMethod, isControlMethod } from "./api.ts";
import { controlSocketPath, isListening, LONGEST_SOCKET_PATH } from "./client.ts";

export interface ControlServer {
  readonly path: string;
  /** Resolves when the socket is gone; calls under way are answered first, if that takes no more than a second. */
  close(): Promise<void>;
}

export interface ControlServerOptions {
  readonly dataDir: string;
  readonly api: ControlApi;
  readonly log: Logger;
}

const MAX_BODY_BYTES = 1_048_576;
const CLOSE_GRACE_MS = 1_000;

/**
 * Serves the command line on a Unix socket in the data folder that only this user can open (mode 0600, OP-5): one POST per
 * call, `/<method>` with JSON in, JSON out. Rejects with `control_socket` when another process already serves it, or when
 * the path is too long for a socket.
 */
export async function startControlServer({ dataDir, api, log }: ControlServerOptions): Promise<ControlServer> {
  const path = controlSocketPath(dataDir);
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    throw new BridgeError("control_socket", socketPathTooLong(path));
  }
  if (await isListening(path)) {
    throw new BridgeError("control_socket", alreadyRunning(dataDir));
  }
  rmSync(path, { force: true });
  const server = createServer((request, response) => void answer(request, response, { api, log }));
  await listen(server, path);
  return { path, close: () => close(server) };
}

/** The mode is set before the first connection can be made: the umask holds while the socket is bound, in the same tick. */
function listen(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        chmodSync(path, 0o600);
        resolve();
      });
    });
  } finally {
    process.umask(before);
  }
}

/** A client that never finishes its request must not hold a stop. */
function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close((error) => {
      clearTimeout(cut);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}

interface Answerer {
  readonly api: ControlApi;
  readonly log: Logger;
}

async function answer(request: IncomingMessage, response: ServerResponse, { api, log }: Answerer): Promise<void> {
  const method = (request.url ?? "").slice(1);
  if (request.method !== "POST" || !isControlMethod(method)) {
    reply(response, 404, { error: { code: "unknown_method", message: noSuchMethod(method) } });
    return;
  }
  try {
    reply(response, 200, { value: await call(api, method, JSON.parse(await bodyOf(request))) });
  } catch (error) {
    const code = error instanceof BridgeError ? error.code : "failed";
    log.warn({ err: error, method }, "a command of the command line failed");
    reply(response, 500, { error: { code, message: error instanceof Error ? error.message : String(error) } });
  }
}

async function call(api: ControlApi, method: ControlMethod, body: unknown): Promise<unknown> {
  const parsed = CONTROL_INPUTS[method].safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BridgeError("bad_input", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  // The schema of the method is the input type of the method: CONTROL_INPUTS pairs them.
  const run = api[method] as (input: unknown) => Promise<unknown>;
  return await run.call(api, parsed.data);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new BridgeError("bad_input", REQUEST_TOO_LARGE);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
