import type { Bot } from "../../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { Fault, FaultKind, FaultScope } from "../../support/emulators/discord/faults.ts";
import type { BrokenPlatform, Cause } from "../../support/reconnects.ts";

type Breaks = Parameters<DiscordEmulator["breaks"]>[1];
type Step = NonNullable<FaultScope["method"]>;

const BROKE = /^reconnecting.*was lost/;
const SILENT = /^reconnecting.*does not answer/;

/** Discord's gateway at its own heartbeat interval of 41 s, and one bot per cause. */
export async function brokenDiscord(): Promise<BrokenPlatform> {
  const dc = await startDiscordEmulator();
  const ann = dc.user({ name: "Ann" });
  const cases = causes(dc).map((make, index) => {
    const bot = dc.bot({ username: `bot${index}`, messageContent: true });
    const dm = ann.dm(bot);
    return {
      bot,
      cause: make(bot),
      talk: {
        account: `discord/a${index}`,
        says: (text: string) => void dm.says(text),
        hears: (matching: string, within: number) => dm.botSays({ matching, within }),
      },
      said: () =>
        dm
          .messages()
          .filter(({ author }) => author.id === bot.id)
          .map(({ content }) => content),
    };
  });
  const accounts = Object.fromEntries(cases.map(({ bot }, index) => [`a${index}`, { token: bot.token }]));
  return {
    cases,
    section: { apiUrl: dc.apiUrl, dmPolicy: "open", allowFrom: ["*"], streaming: "off", accounts },
    stop: () => dc.stop(),
  };
}

function causes(dc: DiscordEmulator): readonly ((bot: Bot) => Cause)[] {
  /** A break of the open connection that is gone with it. */
  const broken =
    (name: string, what: Breaks, shows?: RegExp) =>
    (bot: Bot): Cause => ({ name, begin: () => dc.breaks(bot, what), ...(shows === undefined ? {} : { shows }) });

  /** The connection is cut, and what comes next meets a fault: once, or (`until`) until it is taken away. */
  const kept =
    (name: string, faults: readonly (readonly [Step, FaultKind])[], { shows, until = true }: Keeping = {}) =>
    (bot: Bot): Cause => {
      const on: Fault[] = [];
      return {
        name,
        ...(shows === undefined ? {} : { shows }),
        begin() {
          for (const [method, what] of faults)
            on.push(dc.fails(what, { method, botId: bot.id, times: until ? 1_000 : 1 }));
          dc.breaks(bot, { kind: "cut" });
        },
        ...(until ? { end: () => on.map((fault) => fault.off()) } : {}),
      };
    };

  return [
    ...[1_000, 4_000, 4_007, 4_008, 4_009].map((code) =>
      broken(`the gateway closes with ${code}`, { kind: "close", code }),
    ),
    broken("the connection is cut", { kind: "cut" }),
    broken("op 7 asks to reconnect", { kind: "op7" }),
    broken("op 9 for a session that can be resumed", { kind: "op9", resumable: true }),
    broken("op 9 for a session that is over", { kind: "op9", resumable: false }),
    broken("a zombie that acknowledges no heartbeat", { kind: "zombie" }, SILENT),
    broken("a half-open socket", { kind: "zombie", halfOpen: true }, SILENT),
    kept("a refused resume", [["gateway_resume", { kind: "op9", resumable: false }]], { until: false }),
    kept("a resume that nobody answers", [["gateway_resume", { kind: "slow", ms: 20_000 }]], {
      shows: BROKE,
      until: false,
    }),
    kept(
      "logins that are cut off",
      [
        ["gateway_resume", { kind: "cutBefore" }],
        ["gateway_identify", { kind: "cutBefore" }],
      ],
      { shows: BROKE },
    ),
    kept(
      "logins that are rate limited",
      [
        ["gateway_resume", { kind: "op9", resumable: false }],
        ["gateway_identify", { kind: "close", code: 4_008, reason: "You are being rate limited." }],
      ],
      { shows: BROKE },
    ),
    (bot) => ({
      name: "few logins of the day are left, and the session is over",
      shows: /^reconnecting.*only 20 of the bot's 1000 daily logins are left/,
      begin() {
        bot.record.logins = { left: 20, resetsAt: Date.now() + 60_000 };
        dc.breaks(bot, { kind: "op9", resumable: false });
      },
      end() {
        bot.record.logins.resetsAt = Date.now();
      },
    }),
    (bot) => ({
      name: "a refused token (401, 4004)",
      shows: /^failed.*refuses the bot token in channels\.discord\.accounts/,
      begin: () => dc.revokes(bot),
      end: () => {
        bot.record.revoked = false;
      },
    }),
    (bot) => ({
      name: "a disallowed intent (4014)",
      shows: /^failed.*Message Content intent is off/,
      begin() {
        bot.record.facts.messageContent = false;
        dc.breaks(bot, { kind: "op9", resumable: false });
      },
      end: () => {
        bot.record.facts.messageContent = true;
      },
    }),
  ];
}

interface Keeping {
  readonly shows?: RegExp;
  readonly until?: boolean;
}
