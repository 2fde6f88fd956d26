import { accountName, type DoctorFinding } from "../../src/channel/descriptor.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import type { SlackConfig } from "./config.ts";
import { BOT_SCOPES } from "./manifest.ts";

/** A clock this far from Slack's makes signatures and expiries wrong; at five minutes every request is refused (CH-2). */
const CLOCK_TOLERANCE_MS = 60_000;
/** Without these the bot works, but something is missing; every other scope is needed. */
const OPTIONAL_SCOPES: ReadonlyMap<string, string> = new Map([
  ["assistant:write", "threads show no status while an answer is made"],
  ["reactions:read", "reactions are not heard"],
  ["files:read", "files that people send cannot be read"],
  ["files:write", "files cannot be sent"],
  ["users:read", "people are known by their ids only"],
]);

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
  const error = (message: string, fix: string): DoctorFinding => ({ level: "error", subject, message, fix });
  let bot: Answer;
  try {
    bot = await ask(own.apiUrl, "auth.test", own.botToken, signal);
  } catch (failure) {
    const reason = failure instanceof Error && failure.cause instanceof Error ? failure.cause.message : String(failure);
    const message = `${own.apiUrl} does not answer (${reason.replaceAll(own.botToken, "…")})`;
    return [error(message, "Check the network, a proxy, or apiUrl.")];
  }
  if (bot.error !== null) {
    const fix = 'Copy the "Bot User OAuth Token" from the app\'s page "OAuth & Permissions" into botToken.';
    return [error(`Slack refuses the bot token (${bot.error})`, fix)];
  }
  const who = `@${String(bot.fields.user)} in ${String(bot.fields.team)}`;
  return [
    { level: "ok", subject, message: `the token is that of ${who}`, fix: null },
    ...scopeFindings(bot.scopes, subject),
    ...clockFinding(bot, subject),
    ...(await receivingFinding(own, subject, signal)),
  ];
}

async function ask(apiUrl: string, method: string, token: string, signal: AbortSignal): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${apiUrl}${method}`, { method: "POST", headers, signal });
  const value: unknown = await response.json().catch(() => null);
  const fields = typeof value === "object" && value !== null ? { ...value } : {};
  const given: Readonly<Record<string, unknown>> = fields;
  const date = Date.parse(response.headers.get("date") ?? "");
  return {
    fields: given,
    error: given.ok === true ? null : typeof given.error === "string" ? given.error : `status ${response.status}`,
    scopes: response.headers.get("x-oauth-scopes")?.split(/,\s*/) ?? null,
    serverTime: Number.isNaN(date) ? null : date,
  };
}

function scopeFindings(scopes: readonly string[] | null, subject: string): readonly DoctorFinding[] {
  if (scopes === null) return [];
  const missing = BOT_SCOPES.filter((scope) => !scopes.includes(scope));
  const needed = missing.filter((scope) => !OPTIONAL_SCOPES.has(scope));
  const fix =
    'Add it on the app\'s page "OAuth & Permissions" (or take the whole manifest), then install the app again.';
  const findings: DoctorFinding[] = missing
    .filter((scope) => OPTIONAL_SCOPES.has(scope))
    .map((scope) => ({
      level: "warning",
      subject,
      message: `the scope ${scope} is missing: ${OPTIONAL_SCOPES.get(scope)}`,
      fix,
    }));
  if (needed.length > 0)
    findings.push({ level: "error", subject, message: `these scopes are missing: ${needed.join(", ")}`, fix });
  return findings;
}

function clockFinding(answer: Answer, subject: string): readonly DoctorFinding[] {
  const off = answer.serverTime === null ? 0 : Date.now() - answer.serverTime;
  if (Math.abs(off) < CLOCK_TOLERANCE_MS) return [];
  const side = off > 0 ? "ahead of" : "behind";
  const message = `this machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${side} Slack's`;
  return [{ level: "warning", subject, message, fix: "Set the system's clock, for example with NTP." }];
}

/** The app token is tried by asking for an address to connect to, which connects nothing. */
async function receivingFinding(
  { apiUrl, receiving }: SlackConfig,
  subject: string,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  if (receiving.mode === "http") {
    const message = "mode is http: Slack must be told the public address that reaches /slack/events";
    const fix = 'Put it on the app\'s pages "Event Subscriptions" and "Slash Commands", if it is not there yet.';
    return [{ level: "ok", subject, message: `${message}. ${fix}`, fix: null }];
  }
  const answer = await ask(apiUrl, "apps.connections.open", receiving.appToken, signal).catch(() => null);
  if (answer?.error === null) return [{ level: "ok", subject, message: "Socket Mode can be connected", fix: null }];
  const message = `Socket Mode cannot be connected (${answer?.error ?? "no answer"})`;
  const fix =
    'Switch Socket Mode on, and put an app-level token with connections:write ("Basic Information") into appToken.';
  return [{ level: "error", subject, message, fix }];
}
