import { clockFindings, type DoctorFinding, serverTimeOf, unreachableFinding } from "../../src/channel/descriptor.ts";
import { accountName } from "../../src/core/ids.ts";
import type { AccountSettings, PlaceSettings } from "../../src/core/settings.ts";
import { doctorTexts, telegramDoctorTexts } from "../../src/core/texts/platforms/doctor.ts";
import type { TelegramConfig } from "./config.ts";

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
  let me: Answer;
  let webhook: Answer;
  try {
    me = await ask(own, "getMe", signal);
    webhook = await ask(own, "getWebhookInfo", signal);
  } catch (failure) {
    return [unreachableFinding(failure, { subject, url: own.apiRoot, key: "apiRoot", token: own.botToken })];
  }
  if (me.code === 401 || me.code === 404) return [{ level: "error", subject, ...telegramDoctorTexts.tokenRefused }];
  if (!me.ok) return [{ level: "error", subject, ...telegramDoctorTexts.refused(me.description) }];
  const bot = fieldsOf(me.result);
  return [
    { level: "ok", subject, ...doctorTexts.tokenOf(`@${String(bot.username)}`) },
    ...clockFindings("Telegram", me.serverTime, subject),
    ...privacyFinding(bot, account),
    ...groupsFinding(bot, account),
    ...webhookFinding(webhook, own, subject),
  ];
}

async function ask(own: TelegramConfig, method: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(`${own.apiRoot}/bot${own.botToken}/${method}`, { method: "POST", signal });
  const body = fieldsOf(await response.json().catch(() => null));
  return {
    ok: body.ok === true,
    result: body.result,
    description: typeof body.description === "string" ? body.description : `status ${response.status}`,
    code: response.status,
    serverTime: serverTimeOf(response),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** In privacy mode a bot is not shown messages that do not address it, so `requireMention: false` cannot work. */
function privacyFinding(bot: Readonly<Record<string, unknown>>, account: AccountSettings): readonly DoctorFinding[] {
  if (bot.can_read_all_group_messages !== false) return [];
  const open = [...account.places].filter(([, place]) => answersUnaddressed(place)).map(([id]) => id);
  if (open.length === 0) return [];
  return [{ level: "warning", subject: accountName(account), ...telegramDoctorTexts.privacyOn(open) }];
}

function answersUnaddressed(place: PlaceSettings): boolean {
  return place.requireMention === false || [...place.places.values()].some(answersUnaddressed);
}

function groupsFinding(bot: Readonly<Record<string, unknown>>, account: AccountSettings): readonly DoctorFinding[] {
  const isUsed = account.groupPolicy !== "disabled" && account.places.size > 0;
  if (!isUsed || bot.can_join_groups !== false) return [];
  return [{ level: "warning", subject: accountName(account), ...telegramDoctorTexts.groupsOff }];
}

function webhookFinding(answer: Answer, own: TelegramConfig, subject: string): readonly DoctorFinding[] {
  if (!answer.ok) return [];
  const info = fieldsOf(answer.result);
  const url = typeof info.url === "string" ? info.url : "";
  if (own.mode === "polling") {
    return url === ""
      ? [{ level: "ok", subject, ...telegramDoctorTexts.polls }]
      : [{ level: "warning", subject, ...telegramDoctorTexts.webhookWhilePolling(url) }];
  }
  const wanted = own.webhook?.url ?? "";
  const findings: DoctorFinding[] = [];
  if (url !== wanted) {
    const text = url === "" ? telegramDoctorTexts.webhookUnset : telegramDoctorTexts.webhookElsewhere(url, wanted);
    findings.push({ level: "warning", subject, ...text });
  }
  if (typeof info.last_error_message === "string") {
    const text = telegramDoctorTexts.webhookUnreachable(info.last_error_message);
    findings.push({ level: "warning", subject, ...text });
  }
  return findings.length > 0 ? findings : [{ level: "ok", subject, ...telegramDoctorTexts.webhookSet(url) }];
}
