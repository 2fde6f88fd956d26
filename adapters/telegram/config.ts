import { z } from "zod";
import { keyTexts } from "../../src/core/texts/platforms/accounts.ts";

/** What BotFather gives: the bot's id, a colon, 35 characters; servers for tests give shorter ones. */
const BOT_TOKEN = /^\d+:[A-Za-z0-9_-]+$/;
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/;

const httpUrl = z.url({ protocol: /^https?$/, error: keyTexts.notWebAddress });

const webhookShape = {
  /** The public https address that reaches `path` on Switchyard's HTTP server. */
  url: z
    .url({ protocol: /^https?$/, error: keyTexts.notWebAddress })
    .refine((url) => url.startsWith("https://") || LOOPBACK.test(url), {
      error: keyTexts.webhookHttps,
    }),
  /** Telegram sends it with every call; calls without it are refused (CH-3). */
  secretToken: z.string().regex(/^[A-Za-z0-9_-]{8,256}$/, { error: keyTexts.secretToken }),
  /** Where Switchyard's own server takes the calls; default `/telegram/webhook/<accountId>`. */
  path: z
    .string()
    .regex(/^\/telegram\/[A-Za-z0-9_/-]+$/, { error: keyTexts.webhookPath })
    .optional(),
};

/** The keys of `channels.telegram` that are Telegram's own (CH-3). */
export const telegramOwnShape = {
  /** The bot's token, as BotFather gives it. */
  botToken: z.string().regex(BOT_TOKEN, { error: keyTexts.telegramToken }),
  /** Another Bot API server than Telegram's, without `/bot…` at its end. Default `https://api.telegram.org`. */
  apiRoot: httpUrl.optional(),
  /** The folder in which a Bot API server on this machine (`--local`) keeps its files; they are read from there. */
  filesFolder: z.string().startsWith("/").optional(),
  /** How updates come. Default `polling`. */
  mode: z.enum(["polling", "webhook"]).optional(),
  webhook: z.strictObject(webhookShape).optional(),
};

export const TELEGRAM_API_ROOT = "https://api.telegram.org";

/** One account's own keys with their defaults; `webhook` is set exactly when `mode` is `webhook`. */
export const telegramOwnSchema = z
  .strictObject(telegramOwnShape)
  .superRefine((own, context) => {
    if (own.mode !== "webhook" || own.webhook !== undefined) return;
    context.addIssue({ code: "custom", path: ["webhook"], message: keyTexts.missingInMode("webhook") });
  })
  .transform((own) => ({
    botToken: own.botToken,
    apiRoot: (own.apiRoot ?? TELEGRAM_API_ROOT).replace(/\/+$/, ""),
    filesFolder: own.filesFolder ?? null,
    mode: own.mode ?? "polling",
    webhook:
      own.mode === "webhook" && own.webhook !== undefined
        ? { url: own.webhook.url, secretToken: own.webhook.secretToken, path: own.webhook.path ?? null }
        : null,
  }));

export type TelegramConfig = z.infer<typeof telegramOwnSchema>;
