import { accountName, type DoctorFinding } from "../../src/channel/descriptor.ts";
import type { AccountSettings, PlaceSettings } from "../../src/core/settings.ts";
import type { TelegramConfig } from "./config.ts";

/** A clock this far from Telegram's makes ages and expiries wrong. */
const CLOCK_TOLERANCE_MS = 60_000;

interface Answer {
  readonly ok: boolean;
  readonly result: unknown;
  readonly description: string;
  readonly code: number;
  /** The server's own time, when it said one. */
  readonly serverTime: number | null;
}

/** Token, privacy mode, webhook against mode, and the clock of one account (CH-3, OP-5). Changes nothing at Telegram. */
export async function telegramDoctor(account: AccountSettings, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const own = account.own as TelegramConfig;
  const subject = accountName(account);
  const error = (message: string, fix: string): DoctorFinding[] => [{ level: "error", subject, message, fix }];
  let me: Answer;
  let webhook: Answer;
  try {
    me = await ask(own, "getMe", signal);
    webhook = await ask(own, "getWebhookInfo", signal);
  } catch (failure) {
    const reason = failure instanceof Error && failure.cause instanceof Error ? failure.cause.message : String(failure);
    return error(
      `${own.apiRoot} does not answer (${reason.replaceAll(own.botToken, "…")})`,
      "Check the network, a proxy, or apiRoot.",
    );
  }
  if (me.code === 401 || me.code === 404) {
    return error(
      "Telegram does not know this bot token",
      "Copy the token again from BotFather (/mybots, API Token) into botToken.",
    );
  }
  if (!me.ok) return error(`Telegram refuses getMe: ${me.description}`, "Check botToken and apiRoot.");
  const bot = fieldsOf(me.result);
  return [
    { level: "ok", subject, message: `the token is that of @${String(bot.username)}`, fix: null },
    ...clockFinding(me, subject),
    ...privacyFinding(bot, account),
    ...groupsFinding(bot, account),
    ...webhookFinding(webhook, own, subject),
  ];
}

async function ask(own: TelegramConfig, method: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(`${own.apiRoot}/bot${own.botToken}/${method}`, { method: "POST", signal });
  const body = fieldsOf(await response.json().catch(() => null));
  const date = Date.parse(response.headers.get("date") ?? "");
  return {
    ok: body.ok === true,
    result: body.result,
    description: typeof body.description === "string" ? body.description : `status ${response.status}`,
    code: response.status,
    serverTime: Number.isNaN(date) ? null : date,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function clockFinding(answer: Answer, subject: string): readonly DoctorFinding[] {
  const off = answer.serverTime === null ? 0 : Date.now() - answer.serverTime;
  if (Math.abs(off) < CLOCK_TOLERANCE_MS) return [];
  const side = off > 0 ? "ahead of" : "behind";
  const message = `this machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${side} Telegram's`;
  return [{ level: "warning", subject, message, fix: "Set the system's clock, for example with NTP." }];
}

/** In privacy mode a bot is not shown messages that do not address it, so `requireMention: false` cannot work. */
function privacyFinding(bot: Readonly<Record<string, unknown>>, account: AccountSettings): readonly DoctorFinding[] {
  if (bot.can_read_all_group_messages !== false) return [];
  const open = [...account.places].filter(([, place]) => answersUnaddressed(place)).map(([id]) => id);
  if (open.length === 0) return [];
  return [
    {
      level: "warning",
      subject: accountName(account),
      message: `privacy mode is on, so Telegram shows the bot only messages that address it, but requireMention is false for ${open.join(", ")}`,
      fix: "Turn it off with BotFather (/setprivacy, Disable), then remove the bot from the group and add it again; or make it an administrator there.",
    },
  ];
}

function answersUnaddressed(place: PlaceSettings): boolean {
  return place.requireMention === false || [...place.places.values()].some(answersUnaddressed);
}

function groupsFinding(bot: Readonly<Record<string, unknown>>, account: AccountSettings): readonly DoctorFinding[] {
  const isUsed = account.groupPolicy !== "disabled" && account.places.size > 0;
  if (!isUsed || bot.can_join_groups !== false) return [];
  const message = "groups are configured, but the bot may not be added to groups";
  return [
    {
      level: "warning",
      subject: accountName(account),
      message,
      fix: "Allow it with BotFather (/setjoingroups, Enable).",
    },
  ];
}

function webhookFinding(answer: Answer, own: TelegramConfig, subject: string): readonly DoctorFinding[] {
  if (!answer.ok) return [];
  const info = fieldsOf(answer.result);
  const url = typeof info.url === "string" ? info.url : "";
  if (own.mode === "polling") {
    if (url === "") return [{ level: "ok", subject, message: "polling, and no webhook is set", fix: null }];
    const message = `mode is polling, but a webhook is set (${url}), which keeps updates away from polling`;
    return [
      {
        level: "warning",
        subject,
        message,
        fix: 'Switchyard removes it at start; stop whatever else sets it, or set mode: "webhook".',
      },
    ];
  }
  const findings: DoctorFinding[] = [];
  if (url !== own.webhook?.url) {
    const message =
      url === "" ? "mode is webhook, but none is set yet" : `the webhook goes to ${url}, not to ${own.webhook?.url}`;
    findings.push({
      level: "warning",
      subject,
      message,
      fix: "Start Switchyard, which sets it; stop whatever else sets it.",
    });
  }
  if (typeof info.last_error_message === "string") {
    const message = `Telegram could not reach the webhook: ${info.last_error_message}`;
    findings.push({
      level: "warning",
      subject,
      message,
      fix: "Check that webhook.url reaches this machine with a valid certificate.",
    });
  }
  return findings.length > 0
    ? findings
    : [{ level: "ok", subject, message: `the webhook is set to ${url}`, fix: null }];
}
