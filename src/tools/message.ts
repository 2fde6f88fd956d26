import { z } from "zod";
import type { Route } from "../core/delivery/route.ts";
import { ToolError } from "../core/errors.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import { createRedactor } from "../core/text/redact.ts";
import { isKnownConversation } from "../store/reads/inbound/inbox.ts";
import { transcriptTail } from "../store/reads/turns/transcript.ts";
import { sendMessage } from "../store/steps/delivery/send-message.ts";
import { defineTool, fenceOf, type ToolContext } from "./tool.ts";

const MAX_TEXT = 20_000;
const MAX_FILES = 10;
/** How far back a session's files are looked for, in messages. */
const FILES_BACK = 400;

const input = z
  .object({
    channel: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe("discord, slack, telegram, web; default: where this turn was started."),
    accountId: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe("The bot account; default: this turn's on its own channel, else `default`."),
    to: z.string().trim().min(1).describe("The conversation's id on the platform: a chat, channel or person."),
    threadId: z.string().trim().min(1).optional().describe("A thread or topic in it."),
    text: z.string().max(MAX_TEXT).optional().describe("Markdown."),
    files: z.array(z.string().min(1)).max(MAX_FILES).optional().describe("Names of files this session was given."),
  })
  .refine((args) => (args.text?.trim() ?? "") !== "" || (args.files?.length ?? 0) > 0, {
    error: "give text, files or both",
  });

const output = z.object({
  status: z.literal("queued"),
  route: z.object({ channel: z.string(), accountId: z.string(), to: z.string(), threadId: z.string().nullable() }),
  messages: z.int(),
});

/** ST-40. */
export const message = defineTool({
  name: "message",
  description:
    "Sends a message to a conversation of your choice: text, files this session was given, or both. Only to conversations people have written to you in lately, or that the configuration lists. Do not use it to answer: your final text goes where you were asked. `queued` means it is on its way.",
  group: "messaging",
  profiles: ["messaging"],
  subagents: "none",
  ownerOnly: true,
  input,
  output,
  execute: async (args, context) => {
    const route = await routeOf(args, context);
    const files = await filesOf(args.files ?? [], context);
    const text = args.text?.trim() ?? "";
    const deliveries = await context.services.compose({
      route,
      // It leaves the session for another conversation (ST-7).
      text: text === "" ? null : createRedactor(context.settings.secrets)(text).text,
      files,
      key: `message:${context.callId}`,
      maxChunks: context.settings.delivery.maxChunks,
    });
    if (deliveries.length === 0) throw new ToolError("nothing of this text is for people to read");
    await context.store.step(sendMessage, { ...fenceOf(context), deliveries });
    return { result: { status: "queued", route: { ...route }, messages: deliveries.length } };
  },
});

async function routeOf(args: z.output<typeof input>, { turn, settings, store }: ToolContext): Promise<Route> {
  const own = turn.source.route;
  const channel = args.channel ?? own?.channel;
  if (channel === undefined) throw new ToolError("this turn has no channel", { hint: "name the channel" });
  const accountId = args.accountId ?? (own?.channel === channel ? own.accountId : "default");
  const route: Route = { channel, accountId, to: args.to, threadId: args.threadId ?? null };
  const account = settings.accounts.find((known) => known.channel === channel && known.accountId === accountId);
  const listed = account?.places.get(route.to)?.enabled === true;
  if (account !== undefined && (listed || (await store.read(isKnownConversation, route)))) return route;
  // One text for all of it: what exists elsewhere is not told (VS-2).
  throw new ToolError(
    `there is no conversation "${args.to}" on ${channel} (account ${accountId}) that you may write to`,
    {
      hint: "somebody must have written to you there lately, or the configuration must list it",
    },
  );
}

async function filesOf(
  names: readonly string[],
  { store, session }: ToolContext,
): Promise<readonly StoredAttachment[]> {
  if (names.length === 0) return [];
  const messages = await store.read(transcriptTail, { sessionId: session.sessionId, limit: FILES_BACK });
  const here = messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "attachment" ? [part.attachment] : [])))
    .reverse();
  return names.map((name) => {
    const found = here.find((file) => file.name === name);
    if (found !== undefined) return found;
    const known = [...new Set(here.map((file) => file.name))].slice(0, 10).join(", ");
    throw new ToolError(`this session has no file "${name}"`, {
      hint: known === "" ? "it was given none lately" : `it has: ${known}`,
    });
  });
}
