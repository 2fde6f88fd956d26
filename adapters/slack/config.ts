import { z } from "zod";
import { keyTexts } from "../../src/core/texts/platforms/accounts.ts";

/** Letters after the prefix differ between kinds and ages of tokens; only the prefix says what a token is for. */
const BOT_TOKEN = /^xoxb-[A-Za-z0-9-]+$/;
const APP_TOKEN = /^xapp-[A-Za-z0-9-]+$/;

/** The keys of `channels.slack` that are Slack's own (CH-2). */
export const slackOwnShape = {
  /** The bot's token (`xoxb-…`), from "OAuth & Permissions" of the app. */
  botToken: z.string().regex(BOT_TOKEN, { error: keyTexts.slackBotToken }),
  /** The app's own token (`xapp-…`) with `connections:write`, from "Basic Information"; needed for mode `socket`. */
  appToken: z.string().regex(APP_TOKEN, { error: keyTexts.slackAppToken }).optional(),
  /** Signs what Slack posts, from "Basic Information"; needed for mode `http`. */
  signingSecret: z
    .string()
    .regex(/^\S{8,}$/, { error: keyTexts.signingSecret })
    .optional(),
  /** How events come: over a connection that Switchyard opens, or to `/slack/events` on its HTTP server. Default `socket`. */
  mode: z.enum(["socket", "http"]).optional(),
  /** Another Web API than Slack's. Default `https://slack.com/api/`. */
  apiUrl: z.url({ protocol: /^https?$/, error: keyTexts.notWebAddress }).optional(),
};

export const SLACK_API_URL = "https://slack.com/api/";

/** One account's own keys with their defaults; exactly the key that `mode` needs is sure to be there. */
export const slackOwnSchema = z
  .strictObject(slackOwnShape)
  .superRefine((own, context) => {
    const [key, mode] = own.mode === "http" ? (["signingSecret", "http"] as const) : (["appToken", "socket"] as const);
    if (own[key] !== undefined) return;
    context.addIssue({ code: "custom", path: [key], message: keyTexts.missingInMode(mode) });
  })
  .transform(({ botToken, appToken, signingSecret, mode, apiUrl }) => ({
    botToken,
    apiUrl: `${(apiUrl ?? SLACK_API_URL).replace(/\/+$/, "")}/`,
    receiving:
      mode === "http"
        ? ({ mode: "http", signingSecret: signingSecret ?? "" } as const)
        : ({ mode: "socket", appToken: appToken ?? "" } as const),
  }));

export type SlackConfig = z.infer<typeof slackOwnSchema>;
