import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { parseSearchQuery } from "../core/text/search-query.ts";
import { searchMessages } from "../sessions/search.ts";
import { scopeOf } from "../sessions/visibility.ts";
import { redactorOf, requiredTarget, sessionKeyInput, visibilityOutput, visibilityPart } from "./session-target.ts";
import { defineTool } from "./tool.ts";

/** Every term is looked up on its own; no question has more. */
const MAX_TERMS = 16;

const input = z.object({
  query: z
    .string()
    .min(1)
    .max(400)
    .describe(
      'Words that must all occur, in any order; "words in quotes" stand together; `begin*` finds longer words.',
    ),
  limit: z.int().min(1).max(20).default(10),
  agentId: z.string().optional().describe("Only sessions of this agent."),
  sessionKey: sessionKeyInput.optional().describe("Only this session, with what it held before its resets."),
});

const output = z.object({
  status: z.literal("ok"),
  results: z.array(
    z.object({
      sessionKey: z.string(),
      sessionId: z.string(),
      messageId: z.int(),
      role: z.string(),
      at: z.int(),
      excerpt: z.string(),
      score: z.number(),
    }),
  ),
  count: z.int(),
  hasMore: z.boolean(),
  order: z.enum(["score", "newest"]).describe("`newest` beyond 10,000 hits, else `score`."),
  contentRedacted: z.boolean(),
  visibility: visibilityOutput,
});

/** ST-11. */
export const sessionsSearch = defineTool({
  name: "sessions_search",
  description:
    "Searches what people and assistants wrote in the sessions that this session may see. Each result names its session and message; sessions_history with that sessionKey and messageId shows what stands around it.",
  group: "sessions",
  profiles: ["messaging", "coding"],
  subagents: "spawners",
  input,
  output,
  execute: async (args, context) => {
    const terms = parseSearchQuery(args.query);
    if (terms.length === 0)
      throw new ToolError("the query holds no word", { hint: "give letters or digits to look for" });
    if (terms.length > MAX_TERMS) {
      throw new ToolError(`the query has ${terms.length} words; at most ${MAX_TERMS}`, {
        hint: "keep the rarest ones",
      });
    }
    const { sessionKey } = args;
    const { hits, ...rest } = await searchMessages(context.store, {
      scope: scopeOf(context.settings, context.session),
      terms,
      // Models fill what they do not need with nothing (FC-167).
      agentId: args.agentId?.trim() || null,
      target: !sessionKey?.trim() ? null : await requiredTarget({ sessionKey }, context),
      limit: args.limit,
      redact: redactorOf(context),
    });
    return {
      result: {
        status: "ok",
        results: hits.map((hit) => ({ ...hit })),
        count: hits.length,
        ...rest,
        ...visibilityPart(context),
      },
    };
  },
});
