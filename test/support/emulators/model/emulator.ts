import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeReply } from "./chat-response.ts";
import { type ChatRequest, findFault } from "./request-check.ts";
import type { ModelReply, ModelScript } from "./script.ts";

/** A chat completions server on 127.0.0.1 that answers by script. */
export interface ModelEmulator {
  /** The `baseURL` for clients, ending in `/v1`. */
  readonly url: string;
  /** All requests in order of arrival, refused ones too. */
  readonly requests: readonly ChatRequest[];
  /** Replaces the script; a list starts at its first entry with the next request. */
  script(script: ModelScript): void;
  /** The n-th request (1 is the first), at once when it has already arrived. Rejects after `timeoutMs` (default 10000). */
  waitForRequest(count: number, timeoutMs?: number): Promise<ChatRequest>;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

export interface ModelEmulatorOptions {
  readonly script?: ModelScript;
  /** When set, other bearer tokens get 401. */
  readonly apiKey?: string;
  /** False: requests are counted but not kept (benchmarks). Default true. */
  readonly keepRequests?: boolean;
  /** Default 0: any free port. */
  readonly port?: number;
}

interface Waiter {
  readonly count: number;
  readonly resolve: (request: ChatRequest) => void;
}

/** Starts the emulator. The default script answers every request with the last user message. */
export async function startModelEmulator(options: ModelEmulatorOptions = {}): Promise<ModelEmulator> {
  const requests: ChatRequest[] = [];
  const waiters = new Set<Waiter>();
  let script: ModelScript = options.script ?? echo;
  let scriptStart = 0;
  let arrived = 0;

  const replyTo = async (request: ChatRequest): Promise<ModelReply> => {
    if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
      return refusal(401, "Incorrect API key provided", "invalid_api_key");
    }
    if (request.fault !== null) return refusal(400, request.fault, null);
    if (typeof script === "function") return script(request, request.index);
    const at = request.index - scriptStart;
    const turn = script[at];
    if (turn === undefined)
      return refusal(400, `the script has ${script.length} replies; this is request ${at + 1}`, null);
    return typeof turn === "function" ? turn(request, request.index) : turn;
  };

  const server = createServer((incoming, response) => {
    void receive(incoming, response).catch((error: unknown) => {
      // A script that throws is a fault of the test; it must be visible in the client's error.
      if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: `script failed: ${String(error)}`, type: "emulator", code: null } }),
      );
    });
  });

  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(incoming);
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") {
      return writeReply(refusal(404, `Unknown request URL: ${incoming.url}`, null), {} as ChatRequest, response);
    }
    const request = makeRequest(arrived++, text, incoming, response);
    if (options.keepRequests !== false) requests.push(request);
    for (const waiter of waiters) if (waiter.count <= arrived) waiter.resolve(request);
    await writeReply(await replyTo(request), request, response);
  };

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script(next) {
      script = next;
      scriptStart = arrived;
    },
    async waitForRequest(count, timeoutMs = 10_000) {
      const known = requests[count - 1];
      if (known !== undefined) return known;
      const { promise, resolve, reject } = Promise.withResolvers<ChatRequest>();
      const waiter = { count, resolve };
      const timer = setTimeout(() => reject(new Error(`only ${arrived} of ${count} model requests came`)), timeoutMs);
      waiters.add(waiter);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiters.delete(waiter);
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The default script: the last message's text, in one delta. */
function echo(request: ChatRequest): ModelReply {
  const last = request.messages.at(-1);
  const text = typeof last?.content === "string" ? last.content : "(no text)";
  return { kind: "answer", steps: [{ type: "text", delta: text }], usage: null, finish: null };
}

function refusal(status: number, message: string, code: string | null): ModelReply {
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  return { kind: "http", status, headers: { "content-type": "application/json" }, body };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function makeRequest(index: number, text: string, incoming: IncomingMessage, response: ServerResponse): ChatRequest {
  let body: Record<string, unknown> = {};
  let fault: string | null = null;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
    fault = findFault(body);
  } catch (error) {
    fault = `could not parse the JSON body: ${String(error)}`;
  }
  const ended = new Promise<{ byClient: boolean }>((resolve) => {
    response.on("close", () => resolve({ byClient: !response.writableFinished }));
  });
  return {
    index,
    model: typeof body.model === "string" ? body.model : "",
    stream: body.stream === true,
    messages: (body.messages ?? []) as ChatRequest["messages"],
    tools: (body.tools ?? []) as ChatRequest["tools"],
    body,
    headers: incoming.headers,
    clientPort: incoming.socket.remotePort ?? 0,
    fault,
    ended,
  };
}
