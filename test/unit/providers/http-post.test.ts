import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type PostAnswer, postJson } from "../../../src/agent/providers/http-post.ts";

let server: Server | null = null;
afterEach(async () => {
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

async function listen(created: Server): Promise<string> {
  server = created;
  await new Promise<void>((resolve) => created.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(created.address() as AddressInfo).port}/x`;
}

function post(url: string, headers: Readonly<Record<string, string>> = {}): Promise<PostAnswer> {
  return postJson({ url: new URL(url), headers, body: "{}", signal: new AbortController().signal });
}

async function textOf({ chunks }: PostAnswer): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok";

describe("TN-6 posts", () => {
  test("TN-6: asks once more when the server drops a kept connection as it is used again", async () => {
    const seen: number[] = [];
    let sockets = 0;
    const url = await listen(
      createServer((socket: Socket) => {
        const number = ++sockets;
        let requests = 0;
        socket.on("error", () => undefined);
        socket.on("data", () => {
          seen.push(number);
          requests++;
          if (number === 1 && requests === 2) socket.resetAndDestroy();
          else socket.write(ANSWER);
        });
      }),
    );
    expect(await textOf(await post(url))).toBe("ok");
    expect(await textOf(await post(url))).toBe("ok");
    expect(seen).toEqual([1, 1, 2]);
  });

  test("TN-6: does not ask again on a fresh connection", async () => {
    let requests = 0;
    const url = await listen(
      createServer((socket: Socket) => {
        socket.on("error", () => undefined);
        socket.on("data", () => {
          requests++;
          socket.resetAndDestroy();
        });
      }),
    );
    await expect(post(url)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(requests).toBe(1);
  });

  test("OP-3: passes status, headers and a large body on, and follows no redirect", async () => {
    const large = "x".repeat(3_000_000);
    const http = createHttpServer((request, response) => {
      if (request.headers["x-redirect"] === "1") response.writeHead(302, { location: "/elsewhere" }).end();
      else response.writeHead(200, { "x-answer": "1" }).end(large);
    });
    const url = await listen(http);
    const response = await post(url, { "X-Test": "1" });
    expect(response.headers["x-answer"]).toBe("1");
    expect(await textOf(response)).toBe(large);
    const redirect = await post(url, { "x-redirect": "1" });
    expect(redirect.status).toBe(302);
    http.closeAllConnections();
  });

  test("FC-310: reads a body that a proxy compressed unasked, split anywhere", async () => {
    const whole = gzipSync('data: {"a":"häppy"}\n\n');
    const http = createHttpServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.write(whole.subarray(0, 9));
      response.end(whole.subarray(9));
    });
    expect(await textOf(await post(await listen(http)))).toBe('data: {"a":"häppy"}\n\n');
    http.closeAllConnections();
  });
});
