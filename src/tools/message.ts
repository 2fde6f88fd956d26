import { z } from "zod";
import type { Route } from "../core/delivery/delivery.ts";
import { ToolError } from "../core/errors.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import { createRedactor } from "../core/text/redact.ts";
import { messageTexts } from "../core/texts/agent/tools/message.ts";
import { listsConversation } from "../routing/places.ts";
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
    channel: z.string().trim().min(1).optional().describe(messageTexts.channel),
    accountId: z.string().trim().min(1).optional().describe(messageTexts.accountId),
    to: z.string().trim().min(1).describe(messageTexts.to),
    threadId: z.string().trim().min(1).optional().describe(messageTexts.threadId),
    text: z.string().max(MAX_TEXT).optional().describe(messageTexts.text),
    files: z.array(z.string().min(1)).max(MAX_FILES).optional().describe(messageTexts.files),
  })
  .refine((args) => (args.text?.trim() ?? "") !== "" || (args.files?.length ?? 0) > 0, {
    error: messageTexts.nothing,
  });

const output = z.object({
  status: z.literal("queued"),
  route: z.object({ channel: z.string(), accountId: z.string(), to: z.string(), threadId: z.string().nullable() }),
  messages: z.int(),
});

/** ST-40. */
export const message = defineTool({
  name: "message",
  description: messageTexts.description,
  group: "messaging",
  profiles: ["messaging"],
  subagents: "none",
  ownerOnly: true,
  input,
  output,
  otherNames: { synonyms: { message: "text", content: "text" } },
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
    if (deliveries.length === 0) throw new ToolError(messageTexts.silent);
    await context.store.step(sendMessage, { ...fenceOf(context), deliveries });
    return { result: { status: "queued", route: { ...route }, messages: deliveries.length } };
  },
});

async function routeOf(args: z.output<typeof input>, { turn, settings, store }: ToolContext): Promise<Route> {
  const own = turn.source.route;
  const channel = args.channel ?? own?.channel;
  if (channel === undefined) throw new ToolError(messageTexts.noChannel, { hint: messageTexts.noChannelHint });
  const accountId = args.accountId ?? (own?.channel === channel ? own.accountId : "default");
  const route: Route = { channel, accountId, to: args.to, threadId: args.threadId ?? null };
  const account = settings.accounts.find((known) => known.channel === channel && known.accountId === accountId);
  if (account !== undefined && (listsConversation(account, route.to) || (await store.read(isKnownConversation, route))))
    return route;
  // One text for all of it: what exists elsewhere is not told (VS-2).
  throw new ToolError(messageTexts.noConversation(args.to, channel, accountId), {
    hint: messageTexts.noConversationHint,
  });
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
    const known = [...new Set(here.map((file) => file.name))].slice(0, 10);
    throw new ToolError(messageTexts.noFile(name), {
      hint: known.length === 0 ? messageTexts.noFiles : messageTexts.known(known),
    });
  });
}
