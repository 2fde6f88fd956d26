import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/core/errors.ts";
import type { HealthReport } from "../../../src/http/health.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { createMounts } from "../../../src/http/mounts.ts";
import { type HttpServer, startHttpServer } from "../../../src/http/server.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { silentLog } from "../../support/test-store.ts";

const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const ready = {
  state: "ready",
  since: 0,
  lastInboundAt: null,
  lastOutboundAt: null,
  lastError: null,
  clockAheadMs: 0,
} as const;
const HEALTHY: HealthReport = {
  accounts: [{ channel: "web", accountId: "default", health: ready }],
  store: { ok: true, error: null },
  takesWork: true,
};

async function start(
  options: { token?: string; host?: string; port?: number; report?: () => HealthReport; guessPauseMs?: number } = {},
) {
  const mounts = createMounts();
  const seen: { path: string; operator: boolean; loopback: boolean }[] = [];
  mounts.mount("/web", async (request, facts) => {
    seen.push({ path: new URL(request.url).pathname, ...facts });
    return new Response(`page ${request.method} ${await request.text()}`);
  });
  mounts.mount("/slack/events", async () => new Response("hook"), "public");
  const clock = new FakeClock();
  const server = await startHttpServer({
    settings: { host: options.host ?? "127.0.0.1", port: options.port ?? 0, token: options.token ?? null },
    home: "/web/",
    mounts,
    health: async () => options.report?.() ?? HEALTHY,
    metrics: createMetrics(),
    clock,
    log: silentLog,
    ...(options.guessPauseMs === undefined ? {} : { guessPauseMs: options.guessPauseMs }),
  });
  open.push(server);
  return { server, seen, clock, url: `http://127.0.0.1:${server.port}` };
}

/** `fetch` does not let a test choose the Host header; a plain request does. */
function send(url: string, headers: Record<string, string>, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end();
  });
}

describe("listening", () => {
  test("OP-6: a taken port is named together with --port and SWITCHYARD_PORT", async () => {
    const { server } = await start();
    const fault = await start({ port: server.port }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ConfigError);
    expect(String(fault)).toMatch(`port ${server.port} on 127.0.0.1 is already in use`);
    expect(String(fault)).toMatch(/--port.*SWITCHYARD_PORT/);
  });

  test("OP-6: an address that others can reach is refused without a token", async () => {
    await expect(start({ host: "0.0.0.0" })).rejects.toThrow(/http\.token/);
    expect((await start({ host: "0.0.0.0", token: "t" })).server.port).toBeGreaterThan(0);
  });

  test("OP-6: the root leads to the home page", async () => {
    const { url } = await start();
    const response = await fetch(url, { redirect: "manual" });
    expect(response.headers.get("location")).toBe("/web/");
  });

  test("OP-9: closing ends although a response still streams", async () => {
    const mounts = createMounts();
    mounts.mount(
      "/web",
      async () => new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(1)) })),
    );
    const server = await startHttpServer({
      settings: { host: "127.0.0.1", port: 0, token: null },
      home: null,
      mounts,
      health: async () => HEALTHY,
      metrics: createMetrics(),
      clock: new FakeClock(),
      log: silentLog,
    });
    const response = await fetch(`${server.url}/web`);
    await server.close();
    await expect(response.text()).rejects.toThrow();
  });
});

describe("who may drive the agent", () => {
  test("CH-4: without a token this machine is the operator", async () => {
    const { url, seen } = await start();
    expect((await fetch(`${url}/web/x`)).status).toBe(200);
    expect(seen).toEqual([{ path: "/web/x", operator: true, signedIn: false, loopback: true }]);
  });

  test("CH-4: a foreign name that was pointed at this machine is refused (DNS rebinding)", async () => {
    const { url, seen } = await start();
    expect(await send(`${url}/web/`, { host: "evil.example" })).toBe(421);
    expect(await send(`${url}/web/`, { host: "localhost:1" })).toBe(200);
    expect(await send(`${url}/web/`, { host: "[::1]:1" })).toBe(200);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ["another website", { origin: "https://evil.example" }, 403],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }, 403],
    ["a sandboxed page", { origin: "null" }, 403],
    ["a request a browser marks as cross-site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port as the browser marks it", { "sec-fetch-site": "same-site" }, 403],
    ["a program without a browser", {}, 200],
  ])("CH-4: a POST from %s", async (_from, headers, status) => {
    const { url, seen } = await start();
    expect(await send(`${url}/web/messages`, headers as Record<string, string>, "POST")).toBe(status);
    expect(seen).toHaveLength(status === 200 ? 1 : 0);
  });

  test("CH-4: a POST from the page itself passes, body and all", async () => {
    const { url } = await start();
    const response = await fetch(`${url}/web/m`, { method: "POST", body: "hi", headers: { origin: url } });
    expect(await response.text()).toBe("page POST hi");
  });

  test("OP-6: with a token every caller needs it, as a header or by logging in", async () => {
    const { url } = await start({ token: "secret" });
    expect((await fetch(`${url}/web/`)).status).toBe(401);
    expect((await fetch(`${url}/web/`, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await fetch(`${url}/web/`, { headers: { authorization: "Bearer secret" } })).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
  });

  test("OP-6: logging in sets a cookie no script can read, without the token in it", async () => {
    const { url } = await start({ token: "secret" });
    const login = (token: string, next = "/web/a") =>
      fetch(`${url}/login`, { method: "POST", redirect: "manual", body: new URLSearchParams({ token, next }) });
    expect((await login("wrong")).status).toBe(401);
    const response = await login("secret");
    expect([response.status, response.headers.get("location")]).toEqual([303, "/web/a"]);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain("secret");
    const page = await fetch(`${url}/web/`, { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(page.status).toBe(200);
    for (const next of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      expect((await login("secret", next)).headers.get("location")).toBe("/");
    }
  });

  test("FC-410: after ten wrong sign-ins guesses are slow, and the right token still signs in", async () => {
    const { url } = await start({ token: "secret", guessPauseMs: 300 });
    const login = (token: string) =>
      fetch(`${url}/login`, { method: "POST", redirect: "manual", body: new URLSearchParams({ token }) });
    for (let tried = 0; tried < 10; tried += 1) expect((await login("wrong")).status).toBe(401);
    expect((await login("secret")).status).toBe(303);
    const many = await Promise.all(Array.from({ length: 40 }, () => login("wrong")));
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
    expect((await login("secret")).status).toBe(303);
  });

  test("FC-410: guesses in a header count with those at the form; a signed-in browser is never slowed down", async () => {
    const { url } = await start({ token: "secret", guessPauseMs: 300 });
    const cookie = await fetch(`${url}/login`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ token: "secret" }),
    }).then((response) => response.headers.get("set-cookie")?.split(";")[0] ?? "");
    const bearer = (token: string) => fetch(`${url}/web/`, { headers: { authorization: `Bearer ${token}` } });
    const many = await Promise.all(Array.from({ length: 60 }, (_, tried) => bearer(`wrong-${tried}`)));
    const statuses = many.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
    expect((await fetch(`${url}/web/`, { headers: { cookie } })).status).toBe(200);
    expect((await bearer("secret")).status).toBe(200);
  });

  test("CH-4: a webhook's handler proves its caller itself: no token, any Host", async () => {
    const { url } = await start({ token: "secret" });
    expect((await fetch(`${url}/slack/events`, { method: "POST" })).status).toBe(200);
    const open = await start();
    expect(await send(`${open.url}/slack/events`, { host: "hooks.example" }, "POST")).toBe(200);
  });

  test("OP-6: every response forbids inline script and framing", async () => {
    const { url } = await start();
    for (const path of ["/web/", "/healthz", "/nothing"]) {
      const policy = (await fetch(url + path)).headers.get("content-security-policy");
      expect(policy).toMatch(/script-src 'self';/);
      expect(policy).not.toMatch(/unsafe/);
      expect(policy).toMatch(/frame-ancestors 'none'/);
    }
  });
});

describe("health", () => {
  test("CH-5: /healthz tells each account's state; one that failed makes it degraded, not dead", async () => {
    const failed = { ...ready, state: "failed", lastError: "bad token" } as const;
    const report = { ...HEALTHY, accounts: [{ channel: "telegram", accountId: "default", health: failed }] };
    const { url } = await start({ report: () => report });
    const response = await fetch(`${url}/healthz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: "degraded",
      accounts: [{ channel: "telegram", state: "failed", lastError: "bad token" }],
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  test("CH-5: a store that is down fails both, and error texts are for the operator only", async () => {
    const report = { ...HEALTHY, store: { ok: false, error: "disk is full" } };
    const { url } = await start({ report: () => report, token: "secret" });
    const response = await fetch(`${url}/healthz`);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toMatch(/disk/);
    const asOperator = await fetch(`${url}/readyz`, { headers: { authorization: "Bearer secret" } });
    expect(await asOperator.text()).toMatch(/disk is full/);
  });

  test("OP-9: while it stops it is alive but takes no work", async () => {
    const { url } = await start({ report: () => ({ ...HEALTHY, takesWork: false }) });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });
});
