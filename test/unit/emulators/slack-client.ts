import { setTimeout as sleep } from "node:timers/promises";
import { App as BoltApp, type LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import type { App } from "../../support/emulators/slack/accounts.ts";

/** What a client needs to know of an app; an emulator in another process gives the same. */
export type Credentials = Pick<App, "botToken" | "appToken" | "signingSecret">;

/** Client options as the program uses them: no retries and no waiting inside the client. */
export function clientOptions(apiUrl: string) {
  return {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    // Errors are asserted on, not printed.
    logLevel: "none" as LogLevel,
  };
}

export function webClient(apiUrl: string, app: Credentials): WebClient {
  return new WebClient(app.botToken, clientOptions(apiUrl));
}

/** The real Bolt in Socket Mode, connected again whenever its connection ends. */
export class SocketModeBolt {
  readonly bolt: BoltApp;
  readonly #receiver: SocketModeReceiver;
  #stopped = false;
  /** Why the last attempt to connect failed. */
  lastFailure: unknown = null;

  constructor(apiUrl: string, app: Credentials, options: { clientPingTimeout?: number } = {}) {
    this.#receiver = new SocketModeReceiver({
      appToken: app.appToken,
      logLevel: "none" as LogLevel,
      installerOptions: { clientOptions: clientOptions(apiUrl) },
      // The client's own reconnecting ends in an unhandled rejection when the platform is away meanwhile.
      autoReconnectEnabled: false,
      ...options,
    });
    this.bolt = new BoltApp({
      token: app.botToken,
      receiver: this.#receiver,
      logLevel: "none" as LogLevel,
      clientOptions: clientOptions(apiUrl),
    });
  }

  /** Connects; resolves after the first `hello`. */
  async start(): Promise<void> {
    const { client } = this.#receiver;
    const connected = new Promise((resolve) => client.once("connected", resolve));
    void this.#keepConnected();
    await connected;
  }

  async #keepConnected(): Promise<void> {
    const { client } = this.#receiver;
    while (!this.#stopped) {
      const over = new Promise((resolve) => client.once("disconnected", resolve));
      try {
        await client.start();
        await over;
      } catch (error) {
        this.lastFailure = error;
      }
      if (!this.#stopped) await sleep(20);
    }
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#receiver.client.disconnect();
  }
}
