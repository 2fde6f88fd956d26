import { type Kysely, sql } from "kysely";
import type { AgentId, SessionId } from "../../../core/ids.ts";
import type { MessagePart, TranscriptMessage } from "../../../core/message/transcript.ts";
import { agentPlace, lifePlace } from "../../../core/message/transcript.ts";
import type { SessionKey, SessionScope } from "../../../core/session/session-key.ts";
import { matchWords, type SearchTerm } from "../../../core/text/search-query.ts";
import { messageFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

/** Where to look: all messages of these agents, and those of these lives. Null: everywhere. */
export interface SearchPlaces {
  readonly agents: readonly AgentId[];
  readonly lives: readonly SessionId[];
}

export interface SearchHitsInput {
  readonly terms: readonly SearchTerm[];
  readonly places: SearchPlaces | null;
  /** At most this many, the newest. */
  readonly limit: number;
}

/** The parser of FTS5 and a planner take longer lists badly. */
const PLACES_AT_ONCE = 200;

/** Sequences of the messages that hold all terms, newest first (ST-11). */
export const searchHits = defineRead(
  "search-hits",
  (db, input: SearchHitsInput, dialect): Promise<readonly number[]> =>
    dialect === "sqlite" ? sqliteHits(db, input) : postgresHits(db, input),
);

async function sqliteHits(db: Kysely<Schema>, input: SearchHitsInput): Promise<readonly number[]> {
  const found = new Set<number>();
  // Before the index: a message that moves there meanwhile is seen twice, not never.
  for (const row of await db.selectFrom("message_words").selectAll().execute()) {
    const parts = row.words.split(" ");
    const words = parts.filter((word) => !word.startsWith("§")).map((word) => ({ word, start: 0, end: 0 }));
    if (isIn(parts, input.places) && matchWords(words, input.terms, row.words.length) !== null) found.add(row.seq);
  }
  const wanted = input.terms.map(({ words, prefix }) => `"${words.join(" ")}"${prefix ? " *" : ""}`).join(" AND ");
  for (const places of groupsOf(input.places)) {
    const query = places === null ? wanted : `${wanted} AND (${places.map((place) => `"${place}"`).join(" OR ")})`;
    const { rows } = await sql<{
      seq: number;
    }>`select rowid as seq from message_search where message_search match ${query}
      order by rowid desc limit ${input.limit}`.execute(db);
    for (const { seq } of rows) found.add(seq);
  }
  return newest(found, input.limit);
}

async function postgresHits(db: Kysely<Schema>, input: SearchHitsInput): Promise<readonly number[]> {
  const found = new Set<number>();
  const wanted = input.terms
    .map(({ words, prefix }) => `(${words.map((word) => `'${word}'`).join(" <-> ")}${prefix ? ":*" : ""})`)
    .join(" & ");
  for (const places of groupsOf(input.places)) {
    const query = places === null ? wanted : `${wanted} & (${places.map((place) => `'${place}'`).join(" | ")})`;
    const { rows } = await sql<{ seq: number }>`select seq from message_words where terms @@ ${query}::tsquery
      order by seq desc limit ${input.limit}`.execute(db);
    for (const { seq } of rows) found.add(seq);
  }
  return newest(found, input.limit);
}

function* groupsOf(places: SearchPlaces | null): Generator<readonly string[] | null> {
  if (places === null) {
    yield null;
    return;
  }
  const all = wordsOfPlaces(places);
  for (let at = 0; at < all.length; at += PLACES_AT_ONCE) yield all.slice(at, at + PLACES_AT_ONCE);
}

function wordsOfPlaces({ agents, lives }: SearchPlaces): readonly string[] {
  return [...agents.map(agentPlace), ...lives.map(lifePlace)];
}

function isIn(words: readonly string[], places: SearchPlaces | null): boolean {
  if (places === null) return true;
  const wanted = new Set(wordsOfPlaces(places));
  return words.some((word) => wanted.has(word));
}

function newest(found: ReadonlySet<number>, limit: number): readonly number[] {
  return [...found].sort((a, b) => b - a).slice(0, limit);
}

/** One life of a session, also one that a reset ended (TN-13). */
export interface Life {
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
}

/** Every life of a session and, with lineage, of all it spawned at any depth (VS-1). */
export const livesInTree = defineRead(
  "lives-in-tree",
  async (db, { own, lineage }: Pick<SessionScope, "own" | "lineage">): Promise<readonly Life[]> => {
    let query = db.selectFrom("session_ids").select(["session_id", "session_key"]).where("session_key", "=", own);
    if (lineage) {
      query = query.unionAll(
        db
          .selectFrom("session_lineage")
          .innerJoin("session_ids", "session_ids.session_key", "session_lineage.descendant")
          .select(["session_ids.session_id", "session_ids.session_key"])
          .where("session_lineage.ancestor", "=", own),
      );
    }
    const rows = await query.execute();
    return rows.map((row) => ({ sessionId: row.session_id, sessionKey: row.session_key as SessionKey }));
  },
);

/** Messages by their sequences, in no order; one that is gone is left out. */
export const messagesBySeq = defineRead(
  "messages-by-seq",
  async (db, seqs: readonly number[]): Promise<readonly TranscriptMessage[]> => {
    if (seqs.length === 0) return [];
    const rows = await db
      .selectFrom("messages")
      .selectAll()
      .where("seq", "in", [...seqs])
      .execute();
    return rows.map(messageFromRow);
  },
);

/** What the ranking of many hits needs of a message, and no more: most of what it costs is reading rows. */
export interface RankedText {
  readonly seq: number;
  readonly role: TranscriptMessage["role"];
  readonly parts: readonly MessagePart[];
}

export const rankedTexts = defineRead(
  "ranked-texts",
  async (db, seqs: readonly number[]): Promise<readonly RankedText[]> => {
    const rows = await db
      .selectFrom("messages")
      .select(["seq", "role", "parts_json"])
      .where("seq", "in", [...seqs])
      .execute();
    return rows.map(({ seq, role, parts_json }) => ({
      seq,
      role: role as TranscriptMessage["role"],
      parts: JSON.parse(parts_json) as MessagePart[],
    }));
  },
);
