import type { Bot } from "../../support/emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import type { Fault, FaultKind } from "../../support/emulators/telegram/faults.ts";
import type { BrokenPlatform, Cause } from "../../support/reconnects.ts";

/** Telegram by long polling, and one bot per cause. */
export async function brokenTelegram(): Promise<BrokenPlatform> {
  const tg = await startTelegramEmulator();
  const ann = tg.user({ name: "Ann" });
  const cases = causes(tg).map((make, index) => {
    const bot = tg.bot({ username: `team${index}_bot` });
    const dm = ann.dm(bot);
    return {
      bot,
      cause: make(bot),
      talk: {
        account: `telegram/a${index}`,
        says: (text: string) => void dm.says(text),
        hears: (matching: string, within: number) => dm.botSays({ matching, within }),
      },
      said: () =>
        dm
          .messages()
          .filter(({ from }) => from?.id === bot.id)
          .map(({ text }) => text ?? ""),
    };
  });
  const accounts = Object.fromEntries(cases.map(({ bot }, index) => [`a${index}`, { botToken: bot.token }]));
  return {
    cases,
    section: { apiRoot: tg.apiRoot, dmPolicy: "open", allowFrom: ["*"], streaming: "off", pacing: false, accounts },
    stop: () => tg.stop(),
  };
}

function causes(tg: TelegramEmulator): readonly ((bot: Bot) => Cause)[] {
  const kept =
    (name: string, what: FaultKind, shows: RegExp) =>
    (bot: Bot): Cause => {
      let fault: Fault | null = null;
      return {
        name,
        shows,
        async begin() {
          const on = tg.fails(what, { method: "getUpdates", botId: bot.id, times: 1_000 });
          fault = on;
          // A poll that is held already is answered still.
          await tg.until(() => (on.hits > 0 ? true : undefined), { what: `a poll that meets ${name}` });
        },
        end: () => fault?.off(),
      };
    };

  return [
    kept("another poller (409)", { kind: "409" }, /^reconnecting.*another poller/),
    kept("5xx", { kind: "5xx" }, /^reconnecting.*502/),
    kept("the long poll is cut", { kind: "cutBefore" }, /^reconnecting.*cannot be reached/),
    kept(
      "a poll that nobody answers",
      { kind: "slow", ms: 12_000, carriedOutFirst: false },
      /^reconnecting.*nothing came/,
    ),
    (bot) => {
      let poller: AbortController | null = null;
      return {
        name: "a second poller that takes turns",
        shows: /^reconnecting.*another poller/,
        begin() {
          poller = new AbortController();
          void pollsToo(`${tg.apiRoot}/bot${bot.token}/getUpdates`, poller.signal);
        },
        end: () => poller?.abort(),
      };
    },
    (bot) => ({
      name: "a webhook that was set elsewhere",
      begin() {
        bot.record.webhook = {
          url: "https://example.org/hook",
          secretToken: null,
          maxConnections: 40,
          lastError: null,
        };
      },
    }),
    (bot) => ({
      name: "a refused token (401)",
      shows: /^failed.*refuses the bot token in channels\.telegram\.accounts/,
      begin: () => tg.revokes(bot),
      end: () => {
        bot.record.revoked = false;
      },
    }),
  ];
}

/** Another program with the same token: it takes nothing away, since it confirms nothing. */
async function pollsToo(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fetch(`${url}?timeout=5&limit=1`, { signal }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}
