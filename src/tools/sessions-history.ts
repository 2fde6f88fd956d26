import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { utf8Length } from "../core/text/cut.ts";
import { historyTexts } from "../core/texts/agent/tools/sessions-history.ts";
import { type HistoryPage, isOffsetOf, readAround, readHistory } from "../sessions/history.ts";
import type { TargetSession } from "../store/reads/sessions/targets.ts";
import { messageOf } from "../store/reads/turns/transcript.ts";
import { redactorOf, requiredTarget, sessionKeyInput, toolView } from "./session-target.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const input = z.object({
  sessionKey: sessionKeyInput,
  limit: z.int().min(1).max(200).default(50),
  offset: z.int().min(0).optional().describe(historyTexts.offset),
  messageId: z.int().min(1).optional().describe(historyTexts.messageId),
  includeTools: z.boolean().default(false).describe(historyTexts.includeTools),
});

const output = z.object({
  status: z.literal("ok"),
  sessionKey: z.string(),
  sessionId: z.string(),
  messages: z.array(
    z.looseObject({
      seq: z.int(),
      role: z.string(),
      at: z.string(),
      provenance: z.string().optional(),
      text: z.string(),
    }),
  ),
  nextOffset: z.int().optional(),
  hasMore: z.boolean().optional(),
  hasNewer: z.boolean().optional().describe(historyTexts.hasNewer),
  truncated: z.boolean(),
  droppedMessages: z.int(),
  contentTruncated: z.boolean(),
  contentRedacted: z.boolean(),
  bytes: z.int(),
});

/** ST-5 … ST-10. */
export const sessionsHistory = defineTool({
  name: "sessions_history",
  description: historyTexts.description,
  group: "sessions",
  profiles: ["messaging", "coding"],
  subagents: "spawners",
  input,
  output,
  otherNames: { synonyms: { key: "sessionKey", session: "sessionKey" } },
  maxResultBytes: 81 * 1024,
  execute: async (args, context) => {
    const target = await requiredTarget({ sessionKey: args.sessionKey }, context);
    const { sessionId, nextOffset, ...page } = await pageOf(args, target, context);
    const messages = page.messages.map((message) => toolView(message, context));
    const paged = args.offset !== undefined || args.messageId !== undefined;
    const paging = paged ? { hasMore: nextOffset !== null, ...next(nextOffset) } : {};
    return {
      result: {
        status: "ok",
        sessionKey: target.session.key,
        sessionId,
        ...page,
        messages,
        bytes: utf8Length(JSON.stringify(messages)),
        ...paging,
      },
    };
  },
});

type Page = HistoryPage & { readonly sessionId: string; readonly hasNewer?: boolean };

async function pageOf(args: z.output<typeof input>, target: TargetSession, context: ToolContext): Promise<Page> {
  const { store } = context;
  const { limit, includeTools, messageId } = args;
  const { session, sessionId } = target;
  const request = { limit, includeTools, redact: redactorOf(context) };
  if (messageId !== undefined) {
    if (args.offset !== undefined) throw new ToolError(historyTexts.both);
    const message = await store.read(messageOf, { sessionKey: session.key, seq: messageId });
    // A session that was named by the id of a former life is that life.
    const named = sessionId === session.sessionId || message?.sessionId === sessionId;
    if (message === null || !named) throw new ToolError(historyTexts.noMessage(messageId));
    return { ...(await readAround(store, message, request)), sessionId: message.sessionId };
  }
  const before = args.offset === undefined || args.offset === 0 ? null : args.offset;
  if (before !== null && !(await isOffsetOf(store, sessionId, before))) {
    throw new ToolError(historyTexts.noOffset(before), {
      hint: historyTexts.noOffsetHint,
    });
  }
  return { ...(await readHistory(store, { ...request, sessionId, before })), sessionId };
}

function next(nextOffset: number | null): { readonly nextOffset?: number } {
  return nextOffset === null ? {} : { nextOffset };
}
