import http, { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { guardedFetch, isPrivateAddress } from "../../../src/channel/guarded-fetch.ts";
import { fetchTexts } from "../../../src/core/texts/platforms/accounts.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const options = (trustedOrigins: readonly string[], maxBytes = 1000) => ({
  maxBytes,
  signal: AbortSignal.timeout(5000),
  credentials: { authorization: "Bearer secret" },
  trustedOrigins,
});

describe("FC-322: fetching a file through a proxy", () => {
  async function throughProxy(url: string, noProxy = ""): Promise<{ asked: string[]; file: unknown }> {
    const asked: string[] = [];
    const proxy = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.end("from the proxy");
    });
    const restore = http.setGlobalProxyFromEnv({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: noProxy });
    try {
      return { asked, file: await guardedFetch(url, options([])) };
    } finally {
      restore();
    }
  }

  it("FC-322: a host whose name only the proxy knows is read through it", async () => {
    const { asked, file } = await throughProxy("http://files.away.invalid/a.txt");
    expect(asked).toEqual(["http://files.away.invalid/a.txt"]);
    expect(file).toMatchObject({ ok: true, bytes: Buffer.from("from the proxy") });
  });

  it("FC-322: NO_PROXY is reached directly, and a private address is refused before the proxy is asked", async () => {
    expect(await throughProxy("http://files.near.invalid/", "files.near.invalid")).toMatchObject({
      asked: [],
      file: { ok: false, reason: fetchTexts.unreachable },
    });
    expect(await throughProxy("http://169.254.169.254/latest")).toMatchObject({
      asked: [],
      file: { ok: false, reason: fetchTexts.privateAddress },
    });
  });
});

describe("IN-12: fetching a file by URL", () => {
  it("IN-12: reads a file of a trusted origin with the credentials", async () => {
    const origin = await serve((request, response) => {
      response.setHeader("content-type", "text/plain; charset=utf-8");
      response.end(request.headers.authorization);
    });
    const file = await guardedFetch(`${origin}/file`, options([origin]));
    expect(file).toMatchObject({ ok: true, mime: "text/plain" });
    expect(file.ok && Buffer.from(file.bytes).toString()).toBe("Bearer secret");
  });

  it("IN-12: a redirect to another host carries no credentials there", async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end("other");
    });
    const origin = await serve((_request, response) => {
      response.writeHead(302, { location: `${other}/elsewhere` }).end();
    });
    expect(await guardedFetch(origin, options([origin, other]))).toMatchObject({ ok: true });
    expect(seen).toEqual([undefined]);
  });

  it("IN-12: a private address is refused, also behind a redirect and behind a name", async () => {
    const inner = await serve((_request, response) => void response.end("inner"));
    const origin = await serve((_request, response) => {
      response.writeHead(302, { location: inner }).end();
    });
    const refused = { ok: false, reason: fetchTexts.privateAddress };
    expect(await guardedFetch(inner, options([]))).toEqual(refused);
    expect(await guardedFetch(origin, options([origin]))).toEqual(refused);
    expect(await guardedFetch(inner.replace("127.0.0.1", "localhost"), options([]))).toEqual(refused);
  });

  it("IN-12: what is too large is not read to its end, and what is no web address is refused", async () => {
    const origin = await serve((_request, response) => {
      response.write("x".repeat(600));
      response.end("y".repeat(600));
    });
    expect(await guardedFetch(origin, options([origin]))).toEqual({ ok: false, reason: "too large" });
    expect(await guardedFetch("file:///etc/passwd", options([]))).toMatchObject({ ok: false });
  });

  it("IN-12: a redirect loop and an error page end as one reason", async () => {
    const loop = await serve((_request, response) => void response.writeHead(302, { location: "/again" }).end());
    expect(await guardedFetch(loop, options([loop]))).toEqual({ ok: false, reason: "it redirects too often" });
    const denied = await serve((_request, response) => void response.writeHead(403).end("no"));
    expect(await guardedFetch(denied, options([denied]))).toEqual({ ok: false, reason: fetchTexts.status(403) });
  });

  it.each([
    ["127.0.0.1", true],
    ["10.1.2.3", true],
    ["169.254.169.254", true],
    ["172.32.0.1", false],
    ["8.8.8.8", false],
    ["::1", true],
    ["::", true],
    ["fd00::1", true],
    ["::ffff:127.0.0.1", true],
    ["::ffff:8.8.8.8", false],
    ["2606:4700::1111", false],
    ["fe80::1%eth0", true],
    ["::ffff:10.0.0.1", true],
    ["not an address", true],
  ])("IN-12: %s private: %s", (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });

  it.each([
    ["IPv4-compatible", "::127.0.0.1"],
    ["IPv4-compatible", "::a00:1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["NAT64 of a local network", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::"],
    ["6to4", "2002:c0a8:101::1"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["IPv4-translated", "::ffff:0:7f00:1"],
  ])("FC-410: an IPv4 address inside IPv6 is private (%s, %s)", (_form, address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });
});
