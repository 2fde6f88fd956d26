import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";

const file = (name: string): string => fileURLToPath(new URL(`tls/${name}`, import.meta.url));

/** What a program must trust to talk to the servers here (`NODE_EXTRA_CA_CERTS`). */
export const CERTIFICATE = file("cert.pem");

export interface Internet {
  /** The address of the proxy, for `HTTPS_PROXY`. */
  readonly proxy: string;
  /** The hosts that clients have opened a tunnel to, in order. */
  readonly tunnels: readonly string[];
  /** Everything the proxy was asked without a tunnel. */
  readonly plain: readonly string[];
  close(): void;
}

/**
 * Servers on this machine as if they were far away: `https://<name>` leads to them, with a certificate, and no name of them can be looked
 * up, so only the proxy gets there. Addresses of theirs inside what they answer are written as people far away know them.
 */
export async function openInternet(servers: Readonly<Record<string, string>>): Promise<Internet> {
  const tunnels: string[] = [];
  const plain: string[] = [];
  const open = new Set<Duplex>();
  const far = (text: string): string =>
    Object.entries(servers).reduce((all, [name, origin]) => {
      const { host } = new URL(origin);
      return all.replaceAll(`http://${host}`, `https://${name}`).replaceAll(`ws://${host}`, `wss://${name}`);
    }, text);
  const portOf = (name: string | undefined): number => Number(new URL(servers[name ?? ""] ?? "http://none:1").port);

  const front = https.createServer(
    { cert: readFileSync(CERTIFICATE), key: readFileSync(file("key.pem")) },
    (asked, answer) => {
      const { method, url, headers } = asked;
      const { "accept-encoding": _, ...kept } = headers;
      const passed = http.request(
        { host: "127.0.0.1", port: portOf(headers.host), method, path: url, headers: kept },
        (got) => {
          const parts: Buffer[] = [];
          const isText =
            /json|text/.test(got.headers["content-type"] ?? "") && got.headers["content-length"] !== undefined;
          if (!isText) {
            answer.writeHead(got.statusCode ?? 502, got.headers);
            got.pipe(answer);
            return;
          }
          got.on("data", (part: Buffer) => parts.push(part));
          got.on("end", () => {
            const body = Buffer.from(far(Buffer.concat(parts).toString("utf8")));
            answer.writeHead(got.statusCode ?? 502, { ...got.headers, "content-length": body.length });
            answer.end(body);
          });
        },
      );
      passed.on("error", () => answer.destroy());
      answer.on("close", () => passed.destroy());
      asked.pipe(passed);
    },
  );
  front.on("upgrade", (asked, socket, head) => {
    const upstream = net.connect(portOf(asked.headers.host), "127.0.0.1", () => {
      const lines = asked.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
      upstream.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines}\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    both(socket, upstream);
  });

  const proxy = http.createServer((asked, answer) => {
    plain.push(asked.url ?? "");
    answer.writeHead(502).end();
  });
  proxy.on("connect", (asked, socket, head) => {
    tunnels.push((asked.url ?? "").replace(/:\d+$/, ""));
    const inner = net.connect((front.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      inner.write(head);
      socket.pipe(inner).pipe(socket);
    });
    both(socket, inner);
  });

  function both(one: Duplex, other: Duplex): void {
    for (const [mine, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      open.add(mine);
      mine.on("error", () => peer.destroy());
      mine.on("close", () => {
        open.delete(mine);
        peer.destroy();
      });
    }
  }

  for (const server of [front, proxy]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    tunnels,
    plain,
    close: () => {
      for (const socket of open) socket.destroy();
      for (const server of [front, proxy]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
