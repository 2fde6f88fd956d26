import { App as BoltApp, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import type { App } from "../../support/emulators/slack/accounts.ts";
import type { SlackEmulator } from "../../support/emulators/slack/emulator.ts";

/** Client options as the program uses them: no retries and no waiting inside the client. */
export function clientOptions(sl: SlackEmulator) {
  return {
    slackApiUrl: sl.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  };
}

export function webClient(sl: SlackEmulator, app: App): WebClient {
  return new WebClient(app.botToken, clientOptions(sl));
}

/** The real Bolt in Socket Mode. */
export function socketModeApp(sl: SlackEmulator, app: App, options: { clientPingTimeout?: number } = {}): BoltApp {
  const receiver = new SocketModeReceiver({
    appToken: app.appToken,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: clientOptions(sl) },
    ...options,
  });
  return new BoltApp({
    token: app.botToken,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: clientOptions(sl),
  });
}
