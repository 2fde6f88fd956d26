import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { parseSearchQuery } from "../core/text/search-query.ts";
import { searchTexts } from "../core/texts/agent/tools/sessions-search.ts";
import { searchMessages } from "../sessions/search.ts";
import { scopeOf } from "../sessions/visibility.ts";
import { redactorOf, requiredTarget, sessionKeyInput, visibilityOutput, visibilityPart } from "./session-target.ts";
import { defineTool } from "./tool.ts";

/** Every term is looked up on its own; no question has more. */
const MAX_TERMS = 16;

const input = z.object({
  query: z.string().min(1).max(400).describe(searchTexts.query),
  limit: z.int().min(1).max(20).default(10),
  agentId: z.string().optional().describe(searchTexts.agentId),
  sessionKey: sessionKeyInput.optional().describe(searchTexts.sessionKey),
});

const output = z.object({
  status: z.literal("ok"),
  results: z.array(
    z.object({
      sessionKey: z.string(),
      sessionId: z.string(),
      messageId: z.int(),
      role: z.string(),
      at: z.string(),
      excerpt: z.string(),
      score: z.number(),
    }),
  ),
  count: z.int(),
  hasMore: z.boolean(),
  order: z.enum(["score", "newest"]).describe(searchTexts.order),
  contentRedacted: z.boolean(),
  visibility: visibilityOutput,
});

/** ST-11. */
export const sessionsSearch = defineTool({
  name: "sessions_search",
  description: searchTexts.description,
  group: "sessions",
  profiles: ["messaging", "coding"],
  subagents: "spawners",
  input,
  output,
  otherNames: { synonyms: { search: "query", q: "query", agent: "agentId" } },
  execute: async (args, context) => {
    const terms = parseSearchQuery(args.query);
    if (terms.length === 0) throw new ToolError(searchTexts.noWord, { hint: searchTexts.noWordHint });
    if (terms.length > MAX_TERMS) {
      throw new ToolError(searchTexts.tooMany(terms.length, MAX_TERMS), {
        hint: searchTexts.tooManyHint,
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
        results: hits.map((hit) => ({ ...hit, at: context.timeText(hit.at) })),
        count: hits.length,
        ...rest,
        ...visibilityPart(context),
      },
    };
  },
});
