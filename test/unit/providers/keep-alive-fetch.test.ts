import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { keepAliveFetch } from "../../../src/agent/providers/keep-alive-fetch.ts";

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

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok";

describe("TN-6 keep-alive fetch", () => {
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
    const post = () => keepAliveFetch(url, { method: "POST", body: "{}" }).then((response) => response.text());
    expect(await post()).toBe("ok");
    expect(await post()).toBe("ok");
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
    await expect(keepAliveFetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(requests).toBe(1);
  });

  test("OP-3: passes status, headers and a large body on, and follows no redirect", async () => {
    const large = "x".repeat(3_000_000);
    const http = createHttpServer((request, response) => {
      if (request.headers["x-redirect"] === "1") response.writeHead(302, { location: "/elsewhere" }).end();
      else response.writeHead(200, { "x-answer": "1" }).end(large);
    });
    const url = await listen(http);
    const response = await keepAliveFetch(url, { method: "POST", body: "{}", headers: { "X-Test": "1" } });
    expect(response.headers.get("x-answer")).toBe("1");
    expect(await response.text()).toBe(large);
    const redirect = await keepAliveFetch(url, { method: "POST", body: "{}", headers: { "x-redirect": "1" } });
    expect(redirect.status).toBe(302);
    http.closeAllConnections();
  });
});
