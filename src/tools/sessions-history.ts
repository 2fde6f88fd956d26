import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { isOffsetOf, readHistory } from "../sessions/history.ts";
import { redactorOf, requiredTarget, sessionKeyInput, visibilityOutput, visibilityPart } from "./session-target.ts";
import { defineTool } from "./tool.ts";

const input = z.object({
  sessionKey: sessionKeyInput,
  limit: z.int().min(1).max(200).default(50),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("0 begins paging at the newest messages; then `nextOffset` of each page walks back through older ones."),
  includeTools: z.boolean().default(false).describe("Also tool calls and their results."),
});

const output = z.object({
  status: z.literal("ok"),
  sessionKey: z.string(),
  sessionId: z.string(),
  messages: z.array(
    z.looseObject({ seq: z.int(), role: z.string(), at: z.int(), provenance: z.string(), text: z.string() }),
  ),
  nextOffset: z.int().optional(),
  hasMore: z.boolean().optional(),
  truncated: z.boolean(),
  droppedMessages: z.int(),
  contentTruncated: z.boolean(),
  contentRedacted: z.boolean(),
  bytes: z.int(),
  visibility: visibilityOutput,
});

/** ST-5 … ST-10. */
export const sessionsHistory = defineTool({
  name: "sessions_history",
  description:
    "Reads the transcript of a session that this session may see, oldest message first: the newest `limit` messages, or with `offset` page by page into the past. Credentials are masked and long texts cut; the flags of the result say so.",
  group: "sessions",
  input,
  output,
  maxResultBytes: 81 * 1024,
  execute: async (args, context) => {
    const { session, sessionId } = await requiredTarget({ sessionKey: args.sessionKey }, context);
    const before = args.offset === undefined || args.offset === 0 ? null : args.offset;
    if (before !== null && !(await isOffsetOf(context.store, sessionId, before))) {
      throw new ToolError(`offset ${before} is not a page of this session`, {
        hint: "begin with offset 0 and go on with the nextOffset of each result",
      });
    }
    const { nextOffset, ...page } = await readHistory(context.store, {
      sessionId,
      limit: args.limit,
      before,
      includeTools: args.includeTools,
      redact: redactorOf(context),
    });
    const paging = args.offset === undefined ? {} : { hasMore: nextOffset !== null, ...next(nextOffset) };
    return {
      result: {
        status: "ok",
        sessionKey: session.key,
        sessionId,
        ...page,
        ...paging,
        ...visibilityPart(context),
      },
    };
  },
});

function next(nextOffset: number | null): { readonly nextOffset?: number } {
  return nextOffset === null ? {} : { nextOffset };
}
