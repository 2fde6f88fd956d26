import { accountName, type DoctorFinding } from "../../src/channel/descriptor.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import type { DiscordConfig } from "./config.ts";

/** A clock this far from Discord's makes ages and expiries wrong. */
const CLOCK_TOLERANCE_MS = 60_000;
/** The Message Content switch, for bots in many guilds and in few. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly serverTime: number | null;
}

/** Token, intent, guilds and clock of one account (CH-1, OP-5). Changes nothing at Discord. */
export async function discordDoctor(account: AccountSettings, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const own = account.own as DiscordConfig;
  const subject = accountName(account);
  const error = (message: string, fix: string): DoctorFinding => ({ level: "error", subject, message, fix });
  let me: Answer;
  let application: Answer;
  try {
    me = await ask(own, "/users/@me", signal);
    application = await ask(own, "/applications/@me", signal);
  } catch (failure) {
    const reason = failure instanceof Error && failure.cause instanceof Error ? failure.cause.message : String(failure);
    const said = reason.replaceAll(own.token, "…");
    return [error(`${own.apiUrl} does not answer (${said})`, "Check the network, a proxy, or apiUrl.")];
  }
  if (me.status === 401) {
    return [
      error(
        "Discord does not know this bot token",
        "Reset the token in the developer portal (https://discord.com/developers/applications, Bot) and put it into token.",
      ),
    ];
  }
  if (me.status !== 200) return [error(`Discord answered ${me.status}`, "Try again later; check apiUrl.")];
  const name = String(me.body.username);
  return [
    { level: "ok", subject, message: `the token is that of ${name}`, fix: null },
    ...intentFinding(application, subject),
    ...(await guildFindings(own, account, signal)),
    ...clockFinding(me, subject),
  ];
}

async function ask(own: DiscordConfig, path: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(`${own.apiUrl}/v10${path}`, { headers: { authorization: `Bot ${own.token}` }, signal });
  const body: unknown = await response.json().catch(() => null);
  const date = Date.parse(response.headers.get("date") ?? "");
  return {
    status: response.status,
    body: typeof body === "object" && body !== null ? { ...body } : {},
    serverTime: Number.isNaN(date) ? null : date,
  };
}

function intentFinding({ status, body }: Answer, subject: string): readonly DoctorFinding[] {
  if (status !== 200) return [];
  if ((Number(body.flags ?? 0) & MESSAGE_CONTENT) !== 0)
    return [{ level: "ok", subject, message: "the Message Content intent is on", fix: null }];
  const message = "the Message Content intent is off, so Discord refuses the connection";
  const fix =
    "Switch it on in the developer portal (https://discord.com/developers/applications, Bot, Privileged Gateway Intents).";
  return [{ level: "error", subject, message, fix }];
}

/** A configured guild the bot was never invited to can answer nobody. */
async function guildFindings(
  own: DiscordConfig,
  account: AccountSettings,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const subject = accountName(account);
  const findings: DoctorFinding[] = [];
  for (const id of account.places.keys()) {
    if (id === "*") continue;
    const { status } = await ask(own, `/guilds/${id}`, signal).catch(() => ({ status: 0 }));
    if (status !== 403 && status !== 404) continue;
    const message = `guilds.${id} is configured, but the bot is not in that server`;
    findings.push({ level: "warning", subject, message, fix: "Invite the bot, or take the entry out." });
  }
  return findings;
}

function clockFinding(answer: Answer, subject: string): readonly DoctorFinding[] {
  const off = answer.serverTime === null ? 0 : Date.now() - answer.serverTime;
  if (Math.abs(off) < CLOCK_TOLERANCE_MS) return [];
  const side = off > 0 ? "ahead of" : "behind";
  const message = `this machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${side} Discord's`;
  return [{ level: "warning", subject, message, fix: "Set the system's clock, for example with NTP." }];
}
