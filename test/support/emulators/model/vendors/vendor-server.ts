import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../../../src/core/json.ts";

/** What a vendor's model says, before it is put into the vendor's protocol. */
export interface VendorAnswer {
  readonly kind: "answer";
  /** Text and the vendor's signature of it. */
  readonly thinking?: { readonly text: string; readonly signature: string };
  readonly deltas?: readonly string[];
  readonly call?: VendorCall;
  /** Several calls of one answer. */
  readonly calls?: readonly VendorCall[];
}

export interface VendorCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export function callsIn({ call, calls }: VendorAnswer): readonly VendorCall[] {
  return calls ?? (call === undefined ? [] : [call]);
}

export type VendorReply =
  | VendorAnswer
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Server-sent events written as they are, then the end of the response. */
  | { readonly kind: "events"; readonly body: string };

export interface VendorRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface VendorServer {
  /** `http://127.0.0.1:<port>`; the vendor's path prefix is added by the test. */
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  close(): Promise<void>;
}

/** One vendor's streaming protocol. */
export interface VendorProtocol {
  /** What the vendor would refuse of this request, or null. */
  fault(request: VendorRequest): string | null;
  /** The whole event stream of an answer. */
  render(answer: VendorAnswer): string;
}

/** A loopback server that speaks one vendor's protocol and gives these replies in order; the last one repeats. */
export async function startVendorServer(
  protocol: VendorProtocol,
  replies: readonly VendorReply[],
): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += String(chunk);
    const body = JSON.parse(text === "" ? "{}" : text) as VendorRequest["body"];
    const request = { path: incoming.url ?? "", headers: incoming.headers, body };
    requests.push(request);
    const fault = protocol.fault(request);
    const reply: VendorReply | undefined =
      fault === null
        ? replies[Math.min(requests.length, replies.length) - 1]
        : {
            kind: "http",
            status: 400,
            body: JSON.stringify({ error: { message: fault, type: "invalid_request_error" } }),
          };
    if (reply === undefined) return void response.writeHead(500).end();
    if (reply.kind === "http") {
      return void response
        .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
        .end(reply.body);
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(reply.kind === "events" ? reply.body : protocol.render(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
