import { clockFindings, type DoctorFinding, serverTimeOf, unreachableFinding } from "../../src/channel/descriptor.ts";
import { accountName } from "../../src/core/ids.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { doctorTexts, slackDoctorTexts } from "../../src/core/texts/platforms/doctor.ts";
import type { SlackConfig } from "./config.ts";
import { BOT_SCOPES } from "./manifest.ts";

/** Without these the bot works, but something is missing; every other scope is needed. */
const OPTIONAL_SCOPES: ReadonlyMap<string, string> = new Map(Object.entries(slackDoctorTexts.effects));

interface Answer {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  readonly scopes: readonly string[] | null;
  /** Slack's own time, when it said one. */
  readonly serverTime: number | null;
}

/** Tokens, scopes and the clock of one account (CH-2, OP-5). Changes nothing at Slack. */
export async function slackDoctor(account: AccountSettings, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const own = account.own as SlackConfig;
  const subject = accountName(account);
  let bot: Answer;
  try {
    bot = await ask(own.apiUrl, "auth.test", own.botToken, signal);
  } catch (failure) {
    return [unreachableFinding(failure, { subject, url: own.apiUrl, key: "apiUrl", token: own.botToken })];
  }
  if (bot.error !== null) return [{ level: "error", subject, ...slackDoctorTexts.botTokenRefused(bot.error) }];
  const who = `@${String(bot.fields.user)} in ${String(bot.fields.team)}`;
  return [
    { level: "ok", subject, ...doctorTexts.tokenOf(who) },
    ...scopeFindings(bot.scopes, subject),
    ...clockFindings("Slack", bot.serverTime, subject),
    ...(await receivingFinding(own, subject, signal)),
  ];
}

async function ask(apiUrl: string, method: string, token: string, signal: AbortSignal): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${apiUrl}${method}`, { method: "POST", headers, signal });
  const value: unknown = await response.json().catch(() => null);
  const fields = typeof value === "object" && value !== null ? { ...value } : {};
  const given: Readonly<Record<string, unknown>> = fields;
  return {
    fields: given,
    error: given.ok === true ? null : typeof given.error === "string" ? given.error : `status ${response.status}`,
    scopes: response.headers.get("x-oauth-scopes")?.split(/,\s*/) ?? null,
    serverTime: serverTimeOf(response),
  };
}

function scopeFindings(scopes: readonly string[] | null, subject: string): readonly DoctorFinding[] {
  if (scopes === null) return [];
  const missing = BOT_SCOPES.filter((scope) => !scopes.includes(scope));
  const needed = missing.filter((scope) => !OPTIONAL_SCOPES.has(scope));
  const findings = missing.flatMap((scope): readonly DoctorFinding[] => {
    const effect = OPTIONAL_SCOPES.get(scope);
    const text = effect === undefined ? null : slackDoctorTexts.optionalScopeMissing(scope, effect);
    return text === null ? [] : [{ level: "warning", subject, ...text }];
  });
  return needed.length === 0
    ? findings
    : [...findings, { level: "error", subject, ...slackDoctorTexts.scopesMissing(needed) }];
}

/** The app token is tried by asking for an address to connect to, which connects nothing. */
async function receivingFinding(
  { apiUrl, receiving }: SlackConfig,
  subject: string,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  if (receiving.mode === "http") return [{ level: "ok", subject, ...slackDoctorTexts.usesHttp }];
  const answer = await ask(apiUrl, "apps.connections.open", receiving.appToken, signal).catch(() => null);
  if (answer?.error === null) return [{ level: "ok", subject, ...slackDoctorTexts.socketWorks }];
  return [{ level: "error", subject, ...slackDoctorTexts.socketFails(answer?.error ?? null) }];
}
