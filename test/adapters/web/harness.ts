import { pathOf, routeTo } from "../../../adapters/web/address.ts";
import { createWebAdapter, webRenderer } from "../../../adapters/web/index.ts";
import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import { StoreError } from "../../../src/core/errors.ts";
import { createMetrics } from "../../../src/http/metrics.ts";
import { startHttpServer } from "../../../src/http/server.ts";
import type { AdapterHarness, Said, Seen } from "../../contracts/adapter.ts";
import { FakeHost } from "../../support/fake-host.ts";
import { openTestStore, silentLog } from "../../support/test-store.ts";

export const OPERATOR: Route = routeTo("default", { to: "operator", threadId: null });
export const THREAD: Route = { ...OPERATOR, threadId: "t-plans-1" };

export interface PostOptions {
  readonly id?: string;
  readonly route?: Route;
  readonly files?: readonly File[];
}

export interface WebHarness extends AdapterHarness {
  readonly adapter: ChannelAdapter;
  readonly host: FakeHost;
  readonly url: string;
  /** Sends the composer's form as a browser does. */
  post(text: string, options?: PostOptions): Promise<Response>;
}

/** The chat page behind the real HTTP server, with a real store and a host without a bridge. */
export async function webHarness(
  options: { readonly maxBytes?: number; readonly token?: string } = {},
): Promise<WebHarness> {
  const test = await openTestStore();
  const host = new FakeHost({ channel: "web", test, maxBytes: options.maxBytes ?? 1_000_000 });
  const adapter = createWebAdapter("default", webRenderer);
  const server = await startHttpServer({
    settings: { host: "127.0.0.1", port: 0, token: options.token ?? null },
    home: "/web/",
    mounts: host.mounts,
    health: async () => ({ accounts: [], store: { ok: true, error: null }, takesWork: true }),
    metrics: createMetrics(),
    clock: test.clock,
    log: silentLog,
  });
  await host.conversations.open({ to: "operator", threadId: null, title: "Operator" });
  await host.conversations.open({ to: "operator", threadId: THREAD.threadId, title: "Plans" });
  const ids = { next: 0 };

  function post(text: string, { id, route = OPERATOR, files = [] }: PostOptions = {}): Promise<Response> {
    ids.next += 1;
    const form = new FormData();
    form.set("id", id ?? `client-id-${ids.next}`);
    form.set("text", text);
    for (const file of files) form.append("file", file);
    return fetch(`${server.url}${pathOf(route)}/messages`, {
      method: "POST",
      body: form,
      headers: { origin: server.url, "sec-fetch-site": "same-origin" },
    });
  }

  return {
    adapter,
    host,
    url: server.url,
    post,
    conversation: OPERATOR,
    thread: THREAD,
    gone: { ...OPERATOR, to: "nowhere" },
    personSays: async (text, where) => {
      ids.next += 1;
      const id = `person-says-${ids.next}`;
      const route = typeof where === "object" ? where : where === "thread" ? THREAD : OPERATOR;
      return said(() => post(text, { id, route }));
    },
    seen: async (route) => seenOn(await (await fetch(server.url + pathOf(route))).text()),
    breakNextSend(kind) {
      if (kind !== "outage") return false;
      const { append } = host.conversations;
      host.conversations.append = async () => {
        host.conversations.append = append;
        throw new StoreError("busy", "the disk is full", { retryable: true });
      };
      return true;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await test.dispose();
    },
  };
}

/** The page's own acknowledgement is the answer to its request. */
function said(send: () => Promise<Response>): Said {
  const state = { acknowledged: false };
  const settled = send().then((response) => {
    if (!response.ok) throw new Error(`answered ${response.status}`);
    state.acknowledged = true;
  });
  settled.catch(() => undefined);
  return {
    acknowledged: () => state.acknowledged,
    settled,
    again: async () => {
      await send();
    },
  };
}

/** The agent's messages as they stand on the page. */
export function seenOn(page: string): readonly Seen[] {
  const items = page.matchAll(
    /<li\s+id="m-(\d+)"\s+class="message agent[^>]*>.*?<div class="body" dir="auto" hx-ignore>(.*?)<\/div>/gs,
  );
  return [...items].map(([, id, text]) => ({ id: id ?? "", text: text ?? "" }));
}
