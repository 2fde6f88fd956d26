import type { AdapterHost, ChannelAdapter, HttpHandler } from "../../src/channel/adapter.ts";
import type { NativeCommand, Renderer } from "../../src/channel/capabilities.ts";
import type { AccountId } from "../../src/core/ids.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { pageProblems, pageTexts } from "../../src/core/texts/page.ts";
import { fetchTexts, UNSTORED } from "../../src/core/texts/platforms/accounts.ts";
import { OPERATOR, PREFIX, WEB } from "./address.ts";
import { loadAssets } from "./assets.ts";
import { type Chat, createChat, TYPING_RENEW_MS } from "./chat.ts";
import { linkToThread, sendDelivery } from "./outbound.ts";
import { offerRecent } from "./receive.ts";
import { renderWeb } from "./render.ts";
import { createRoutes } from "./routes.ts";

/** A page has no limit of its own; this one keeps a single message readable and quick to draw (DL-6). */
const MAX_LENGTH = 50_000;

export const webRenderer: Renderer = {
  maxLength: MAX_LENGTH,
  render(nodes) {
    const { html, plain, length } = renderWeb(nodes);
    return { rich: html, plain, length };
  },
};

export async function create(account: AccountSettings): Promise<ChannelAdapter> {
  return createWebAdapter(account.accountId, webRenderer);
}

/** The page is on this machine: previews may follow each other as fast as an eye can tell. */
const PREVIEW_INTERVAL_MS = 50;
const OFFER_AGAIN_AFTER_MS = 2000;

/** The chat page as a channel (CH-4): Switchyard is its own platform, the messages live in the host's log. */
export function createWebAdapter(accountId: AccountId, renderer: Renderer): ChannelAdapter {
  let chat: Chat | null = null;
  let commands: readonly NativeCommand[] = [];
  let offering: NodeJS.Timeout | null = null;
  let isDegraded = false;
  const underWay = new Set<Promise<unknown>>();

  function offerAgainSoon(started: Chat): void {
    offering ??= setTimeout(() => {
      offering = null;
      if (chat !== started) return;
      track(offerRecent(started.host)).then(
        () => stored(started),
        (error: unknown) => notStored(started, error),
      );
    }, OFFER_AGAIN_AFTER_MS).unref();
  }

  function stored(started: Chat): void {
    if (isDegraded && chat === started) started.host.report("ready");
    isDegraded = false;
  }

  /** The message may stand in the log without its event: it is offered until the event is committed (IN-14). */
  function notStored(started: Chat, error: unknown): void {
    started.host.log.warn({ err: error }, "a message of the chat page could not be stored yet");
    if (chat !== started) return;
    isDegraded = true;
    started.host.report("degraded", UNSTORED);
    offerAgainSoon(started);
  }

  /** What `stop` waits for: after it no event may arrive any more. */
  function track<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    underWay.add(settled);
    settled.then(() => underWay.delete(settled));
    return work;
  }

  return {
    channel: WEB,
    accountId,
    renderer,
    capabilities: {
      idempotentSend: true,
      edits: {
        minIntervalMs: () => PREVIEW_INTERVAL_MS,
        async preview(_route, messageId, piece, signal) {
          if (!signal.aborted) await chat?.showPreview(Number(messageId), piece.rich);
          return null;
        },
      },
      typing: {
        renewMs: TYPING_RENEW_MS,
        start: async (route) => chat?.showTyping(route, true),
        stop: async (route) => chat?.showTyping(route, false),
      },
      threads: {
        canCreate: async ({ to }) => {
          const known = (await chat?.host.conversations.find(to, null)) ?? null;
          return known === null ? { can: false, reason: pageProblems.conversationGone } : { can: true };
        },
        link: linkToThread,
      },
      progress: { show: (progress) => chat?.showProgress(progress) },
      nativeCommands: {
        register: async (registered) => {
          commands = registered;
        },
      },
      files: {
        async fetch({ ref }, { maxBytes }) {
          const bytes = (await chat?.host.files.get(ref)) ?? null;
          if (bytes === null) return { ok: false, reason: pageProblems.fileGone };
          if (bytes.byteLength > maxBytes) return { ok: false, reason: fetchTexts.tooLarge };
          return { ok: true, bytes, mime: null, name: null };
        },
      },
    },

    async start(host: AdapterHost) {
      const assets = await loadAssets();
      await host.conversations.open({ to: OPERATOR, threadId: null, title: pageTexts.directChat });
      const started = createChat(host);
      const routes = createRoutes({
        chat: started,
        assets,
        commands: () => commands,
        onStored: () => stored(started),
        onNotStored: (error) => notStored(started, error),
      });
      const serve: HttpHandler = async (request, facts) =>
        chat === started
          ? track(Promise.resolve(routes.fetch(request, facts)))
          : new Response(pageProblems.stopping, { status: 503 });
      chat = started;
      host.mount(PREFIX, serve);
      host.report("ready");
      await track(offerRecent(host)).catch((error: unknown) => notStored(started, error));
    },

    async stop() {
      if (offering !== null) clearTimeout(offering);
      offering = null;
      const stopping = chat;
      chat = null;
      stopping?.close();
      await Promise.all(underWay);
    },

    async send(delivery) {
      if (chat !== null) return sendDelivery(chat, delivery);
      return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: pageProblems.notStarted };
    },
  };
}
