import { clockFindings, type DoctorFinding, serverTimeOf, unreachableFinding } from "../../src/channel/descriptor.ts";
import { accountName } from "../../src/core/ids.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { discordDoctorTexts, doctorTexts } from "../../src/core/texts/platforms/doctor.ts";
import type { DiscordConfig } from "./config.ts";

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
  let me: Answer;
  let application: Answer;
  try {
    me = await ask(own, "/users/@me", signal);
    application = await ask(own, "/applications/@me", signal);
  } catch (failure) {
    return [unreachableFinding(failure, { subject, url: own.apiUrl, key: "apiUrl", token: own.token })];
  }
  if (me.status === 401) return [{ level: "error", subject, ...discordDoctorTexts.tokenRefused }];
  if (me.status !== 200) return [{ level: "error", subject, ...discordDoctorTexts.unexpected(me.status) }];
  return [
    { level: "ok", subject, ...doctorTexts.tokenOf(String(me.body.username)) },
    ...intentFinding(application, subject),
    ...(await guildFindings(own, account, signal)),
    ...clockFindings("Discord", me.serverTime, subject),
  ];
}

async function ask(own: DiscordConfig, path: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(`${own.apiUrl}/v10${path}`, { headers: { authorization: `Bot ${own.token}` }, signal });
  const body: unknown = await response.json().catch(() => null);
  return {
    status: response.status,
    body: typeof body === "object" && body !== null ? { ...body } : {},
    serverTime: serverTimeOf(response),
  };
}

function intentFinding({ status, body }: Answer, subject: string): readonly DoctorFinding[] {
  if (status !== 200) return [];
  const isOn = (Number(body.flags ?? 0) & MESSAGE_CONTENT) !== 0;
  return isOn
    ? [{ level: "ok", subject, ...discordDoctorTexts.intentOn }]
    : [{ level: "error", subject, ...discordDoctorTexts.intentOff }];
}

/** In a configured guild that the bot was never invited to, no one gets an answer. */
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
    findings.push({ level: "warning", subject, ...discordDoctorTexts.notInGuild(id) });
  }
  return findings;
}
