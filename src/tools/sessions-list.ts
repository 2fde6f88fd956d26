import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { modelRefText } from "../core/models.ts";
import type { Session } from "../core/session/session.ts";
import { asSessionKey } from "../core/session/session-key.ts";
import { cutText, utf8Length } from "../core/text/cut.ts";
import { listTexts } from "../core/texts/agent/tools/sessions-list.ts";
import { sessionModel } from "../sessions/context-window.ts";
import { type MessageView, previewOf, viewMessage } from "../sessions/history-view.ts";
import { scopeOf } from "../sessions/visibility.ts";
import {
  firstTexts,
  type ListedSession,
  listSessions,
  newestTexts,
  type SessionCursor,
} from "../store/reads/sessions/list.ts";
import { ensureMain } from "../store/steps/sessions/ensure-main.ts";
import { redactorOf, requiredTarget, sessionKeyInput, visibilityOutput, visibilityPart } from "./session-target.ts";
import { defineTool, type ToolContext } from "./tool.ts";

/** ST-4: the rows; what is around them fits into the rest of 64 KiB. */
const MAX_ROWS_BYTES = 62 * 1024;
const MAX_MESSAGE = 1_000;

const offsetInput = z.union([z.int().min(0), z.string().max(1_000)]);

const input = z.object({
  kinds: z
    .array(z.enum(["main", "group", "other"]))
    .optional()
    .describe(listTexts.kinds),
  label: z.string().optional().describe(listTexts.label),
  agentId: z.string().optional().describe(listTexts.agentId),
  search: z.string().optional().describe(listTexts.search),
  activeMinutes: z.number().positive().optional().describe(listTexts.activeMinutes),
  archived: z
    .union([z.boolean(), z.literal("all")])
    .default(false)
    .describe(listTexts.archived),
  pinned: z.boolean().optional(),
  limit: z.int().min(1).max(200).default(50),
  offset: offsetInput.default(0).describe(listTexts.offset),
  includeDerivedTitles: z.boolean().default(false).describe(listTexts.titles),
  includeLastMessage: z.boolean().default(false).describe(listTexts.lastMessage),
  messageLimit: z.int().min(0).max(20).default(0).describe(listTexts.messageLimit),
  spawnedBy: sessionKeyInput.optional().describe(listTexts.spawnedBy),
});

const output = z.object({
  status: z.literal("ok"),
  sessions: z.array(z.looseObject({ key: z.string(), sessionId: z.string(), agentId: z.string() })),
  count: z.int(),
  hasMore: z.boolean(),
  nextOffset: offsetInput.optional(),
  truncated: z.literal(true).optional(),
  visibility: visibilityOutput,
});

type Args = z.output<typeof input>;
type Row = { readonly [name: string]: Json };

/** ST-1 … ST-4. */
export const sessionsList = defineTool({
  name: "sessions_list",
  description: listTexts.description,
  group: "sessions",
  profiles: ["messaging", "coding"],
  subagents: "spawners",
  input,
  output,
  otherNames: { synonyms: { kind: "kinds", agent: "agentId", query: "search" } },
  maxResultBytes: 64 * 1024,
  execute: async (args, context) => {
    const start = listStart(args.offset);
    if (start === null) throw new ToolError(listTexts.noOffset, { hint: listTexts.noOffsetHint });
    const listed = await read(args, start, context);
    const page = listed.slice(0, args.limit);
    const rows = await rowsOf(page, args, context);
    const kept = fitting(rows);
    const [last, next] = [listed[kept.length - 1], listed[kept.length]];
    return {
      result: {
        status: "ok",
        sessions: kept,
        count: kept.length,
        hasMore: next !== undefined,
        ...(last === undefined || next === undefined ? {} : { nextOffset: offsetBehind(last, next) }),
        ...(kept.length < rows.length ? { truncated: true } : {}),
        ...visibilityPart(context),
      },
    };
  },
});

/** One row more than asked for tells whether there are more. */
async function read(args: Args, start: ListStart, context: ToolContext): Promise<readonly ListedSession[]> {
  const { store, settings, session, clock } = context;
  // SK-6: it always exists, also before anybody wrote there.
  if (args.kinds?.includes("main") === true) await store.step(ensureMain, session.agentId);
  const parent = args.spawnedBy === undefined ? null : await requiredTarget({ sessionKey: args.spawnedBy }, context);
  return store.read(listSessions, {
    scope: scopeOf(settings, session),
    kinds: args.kinds === undefined || args.kinds.length === 0 ? null : args.kinds,
    // Models fill what they do not need with nothing (FC-167).
    label: args.label?.trim() ? args.label : null,
    agentId: args.agentId?.trim() || null,
    search: args.search?.trim() ? args.search.trim() : null,
    activeSince: args.activeMinutes === undefined ? null : clock.now() - args.activeMinutes * 60_000,
    archived: args.archived,
    pinned: args.pinned ?? null,
    spawnedBy: parent?.session.key ?? null,
    behind: start.behind,
    limit: args.limit + 1,
    offset: start.skip,
  });
}

async function rowsOf(page: readonly ListedSession[], args: Args, context: ToolContext): Promise<readonly Row[]> {
  const { store } = context;
  const redact = redactorOf(context);
  const ids = page.map(({ session }) => session.sessionId);
  const titles = args.includeDerivedTitles ? await store.read(firstTexts, ids) : null;
  const wanted = Math.max(args.messageLimit, args.includeLastMessage ? 1 : 0);
  // Texts that were nothing but leaked markup must not use up the limit.
  const texts = wanted === 0 ? null : await store.read(newestTexts, { sessionIds: ids, limit: wanted + 3 });
  return page.map(({ session, status, parent, children }) => {
    const newest = texts?.get(session.sessionId) ?? [];
    const views = newest.flatMap((message) => viewMessage(message, { includeTools: false, redact })?.view ?? []);
    const title = titles?.get(session.sessionId);
    const last = newest.flatMap((message) => previewOf(message, redact) ?? []).at(-1);
    return present({
      ...rowOf(session, context),
      status,
      spawnedBy: parent,
      title: title === undefined ? null : previewOf(title, redact),
      childSessions: children.length === 0 ? null : children,
      lastMessage: args.includeLastMessage ? (last ?? null) : null,
      messages:
        args.messageLimit === 0 ? null : views.slice(-args.messageLimit).map((view) => shortened(view, context)),
    });
  });
}

function rowOf(session: Session, { settings, timeText }: ToolContext): Row {
  const agent = settings.agents.get(session.agentId);
  return {
    key: session.key,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    channel: session.channel ?? session.lastRoute?.channel ?? null,
    label: session.label,
    displayName: session.displayName,
    model: agent === undefined ? session.modelOverride : modelRefText(sessionModel(settings, agent, session)),
    thinking: session.thinking,
    totalTokens: session.inputTokens + session.outputTokens,
    contextTokens: session.contextTokens,
    createdAt: timeText(session.createdAt),
    updatedAt: timeText(session.updatedAt),
    lastChannel: session.lastRoute?.channel ?? null,
    lastTo: session.lastRoute?.to ?? null,
    pinned: session.pinned || null,
    archived: session.archivedAt !== null || null,
    stateVersion: session.stateVersion,
  };
}

/** What a row does not know, or what is as usual, it does not name; only `channel` is always there (ST-2). */
function present(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null || name === "channel"));
}

function shortened({ seq, role, at, text }: MessageView, { timeText }: ToolContext): Row {
  return { seq, role, at: timeText(at), text: cutText(text, MAX_MESSAGE).text };
}

/** As many rows as fit, the first always; the next page begins with the first that does not. */
function fitting(rows: readonly Row[]): readonly Row[] {
  let bytes = 2;
  const kept: Row[] = [];
  for (const row of rows) {
    bytes += utf8Length(JSON.stringify(row)) + 1;
    if (bytes > MAX_ROWS_BYTES && kept.length > 0) break;
    kept.push(bytes > MAX_ROWS_BYTES ? { ...row, messages: [], childSessions: [] } : row);
  }
  return kept;
}

/**
 * Where a page of sessions begins (ST-4). Sessions are listed by their last use, and one that is used during paging
 * moves to the front, so a count would repeat others and pass over some. `nextOffset` therefore names the place the page
 * ended at: a time, or, when the next session was used in the very same millisecond, that time and the last key shown.
 */
interface ListStart {
  /** Only what is listed behind this place; null: from the front. */
  readonly behind: SessionCursor | null;
  /** Of those, this many are passed over. */
  readonly skip: number;
}

/** Smaller numbers are counts: no session is as old as the times they would stand for. */
const FIRST_TIME = 1_000_000_000;
const PLACE = /^(\d{1,16})\/(.+)$/s;

/** Reads an `offset`: one that a page gave, or a plain count of sessions to pass over. Null: it is neither. */
function listStart(offset: number | string): ListStart | null {
  // Models like to write numbers as texts.
  if (typeof offset === "string" && /^\d{1,15}$/.test(offset)) return listStart(Number(offset));
  if (typeof offset === "number") {
    if (offset < FIRST_TIME) return { behind: null, skip: offset };
    return { behind: { updatedAt: offset, key: null }, skip: 0 };
  }
  const [, time, text = ""] = PLACE.exec(offset) ?? [];
  const key = asSessionKey(text);
  return key === null ? null : { behind: { updatedAt: Number(time), key }, skip: 0 };
}

/** The `offset` of what follows the last session shown; `next` is the first that was not. */
function offsetBehind(last: ListedSession, next: ListedSession): number | string {
  const { updatedAt, key } = last.session;
  return next.session.updatedAt === updatedAt ? `${updatedAt}/${key}` : updatedAt;
}
