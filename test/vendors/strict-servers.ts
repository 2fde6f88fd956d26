import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { VendorAnswer } from "../support/emulators/model/vendors/vendor-server.ts";
import type { Body } from "./rules.ts";
import { VENDORS, type Vendor } from "./vendors.ts";

/** One strict server of each protocol. */
export const SERVERS: readonly Vendor[] = ["OpenAI", "Anthropic", "Google", "Mistral"].map(
  (name) => VENDORS.find((vendor) => vendor.name === name) as Vendor,
);

export interface StrictServers {
  /** What stands under `models.providers`: each server under its name in small letters. */
  readonly providers: Readonly<Record<string, object>>;
  /** What a server was sent and took, in order. */
  bodies(vendor: Vendor): readonly Body[];
  close(): void;
}

/** The servers behind one port. `answer`: null leaves a request open. */
export async function startStrictServers(
  answer: (vendor: Vendor, body: Body) => VendorAnswer | null,
): Promise<StrictServers> {
  const bodies = new Map<string, Body[]>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const [, at = "", rest = ""] = /^\/(\d+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
    const vendor = SERVERS[Number(at)];
    if (vendor === undefined || incoming.method !== "POST") return void response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const fault =
      vendor.protocol.fault({ path: rest, headers: incoming.headers, body }) ??
      vendor.rules.map((rule) => rule(body)).find((words) => words !== null);
    if (fault !== null && fault !== undefined) {
      const error = { error: { message: fault, type: "invalid_request_error", code: null } };
      return void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
    }
    bodies.set(vendor.name, [...(bodies.get(vendor.name) ?? []), body]);
    const said = answer(vendor, body);
    if (said === null) return;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(vendor.protocol.render(said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    providers: Object.fromEntries(
      SERVERS.map((vendor, at) => [
        vendor.name.toLowerCase(),
        { type: vendor.type, apiKey: "key-123456", baseUrl: `http://127.0.0.1:${port}/${at}${vendor.path}` },
      ]),
    ),
    bodies: ({ name }) => bodies.get(name) ?? [],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
