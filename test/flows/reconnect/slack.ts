import type { App } from "../../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import type { Fault, FaultKind } from "../../support/emulators/slack/faults.ts";
import type { BrokenPlatform, Cause } from "../../support/reconnects.ts";

const REFUSED_APP = /^failed.*refuses channels\.slack\.accounts\.\w+\.appToken \(invalid_auth\)/;

/** Slack over Socket Mode, and one app per cause. */
export async function brokenSlack(): Promise<BrokenPlatform> {
  const sl = await startSlackEmulator();
  const ann = sl.user({ name: "ann" });
  const cases = causes(sl).map((make, index) => {
    const app = sl.app({ name: `Switchyard ${index}` });
    const dm = ann.dm(app);
    return {
      app,
      cause: make(app),
      talk: {
        account: `slack/a${index}`,
        says: (text: string) => void dm.says(text),
        hears: (matching: string, within: number) => dm.botSays({ matching, within }),
      },
      said: () =>
        dm
          .messages()
          .filter(({ user }) => user === app.userId)
          .map(({ text }) => text ?? ""),
    };
  });
  const accounts = cases.map(
    ({ app: { botToken, appToken } }, index) => [`a${index}`, { botToken, appToken }] as const,
  );
  return {
    cases,
    section: {
      apiUrl: sl.apiUrl,
      dmPolicy: "open",
      allowFrom: ["*"],
      streaming: "off",
      accounts: Object.fromEntries(accounts),
    },
    stop: () => sl.stop(),
  };
}

function causes(sl: SlackEmulator): readonly ((app: App) => Cause)[] {
  const broken =
    (name: string, begin: (socket: App["sockets"][number]) => void, shows?: RegExp) =>
    (app: App): Cause => ({
      name,
      begin: () => app.sockets.map(begin),
      ...(shows === undefined ? {} : { shows }),
    });

  /** The connection is cut, and no new one is given until the fault is taken away. */
  const kept =
    (name: string, what: FaultKind, shows: RegExp) =>
    (app: App): Cause => {
      let fault: Fault | null = null;
      return {
        name,
        shows,
        begin() {
          fault = sl.fails(what, { method: "apps.connections.open", appId: app.id, times: 1_000 });
          for (const socket of app.sockets) socket.cuts();
        },
        end: () => fault?.off(),
      };
    };

  return [
    broken("the socket is closed", (socket) => socket.closes()),
    broken("the socket is cut", (socket) => socket.cuts()),
    ...(["refresh_requested", "warning", "link_disabled"] as const).map((reason) =>
      broken(`disconnect with ${reason}`, (socket) => socket.disconnects(reason)),
    ),
    broken("a half-open socket without pings", (socket) => socket.silences(), /^reconnecting.*does not answer/),
    (app) => ({
      name: "too_many_websockets",
      shows: /^reconnecting.*other processes use the same app token/,
      begin() {
        const full = { kind: "disconnectBeforeHello", reason: "too_many_websockets" } as const;
        app.breaksNextSocket(full, full, full);
        for (const socket of app.sockets) socket.cuts();
      },
    }),
    (app) => ({
      name: "Socket Mode is switched off",
      shows: /^failed.*turn Socket Mode on/,
      begin: () => app.record.sockets.disable(),
      end: () => app.record.sockets.enable(),
    }),
    kept("a refused app token", { kind: "refusal", error: "invalid_auth" }, REFUSED_APP),
    kept("apps.connections.open fails with 503", { kind: "5xx" }, /^reconnecting.*HTTP 503/),
    kept("apps.connections.open is rate limited", { kind: "429", retryAfter: 2 }, /^reconnecting.*rate/i),
    (app) => ({
      name: "a revoked bot token",
      shows: /^failed.*/,
      begin: () => app.isRevoked(),
      end: () => {
        app.record.tokenState = "valid";
      },
    }),
  ];
}
