import { sql } from "kysely";
import { defineRead } from "../../store.ts";

/** Where attachments are referred to by the hash of their bytes, in the order in which one goes on to the next (IN-12). */
const PLACES = [
  { table: "inbox", id: "seq", column: "payload_json" },
  { table: "messages", id: "seq", column: "parts_json" },
  { table: "deliveries", id: "id", column: "content_json" },
  { table: "conversation_messages", id: "id", column: "attachments_json" },
] as const;

const HASH = /"sha256":"([0-9a-f]{64})"/g;
/** Rows at once, so that no look holds up the store. */
const ROWS = 500;

/** How far the look is; begin with `{ place: 0, after: 0 }`. */
export interface ReferencesCursor {
  readonly place: number;
  readonly after: number;
}

export interface References {
  readonly hashes: readonly string[];
  /** null: that was all. */
  readonly next: ReferencesCursor | null;
}

/** Hashes of attachments that stored rows refer to, some hundred rows at a time. */
export const attachmentReferences = defineRead(
  "attachment-references",
  async (db, { place, after }: ReferencesCursor): Promise<References> => {
    const at = PLACES[place];
    if (at === undefined) return { hashes: [], next: null };
    const [table, id, column] = [sql.table(at.table), sql.ref(at.id), sql.ref(at.column)];
    const end = await sql<{ last: number | null }>`select max(id) as last from
      (select ${id} as id from ${table} where ${id} > ${after} order by ${id} limit ${ROWS}) as page`.execute(db);
    const last = end.rows[0]?.last ?? null;
    if (last === null) return { hashes: [], next: { place: place + 1, after: 0 } };
    const { rows } = await sql<{ text: string }>`select ${column} as text from ${table}
      where ${id} > ${after} and ${id} <= ${last} and ${column} like '%"sha256":"%'`.execute(db);
    const hashes = rows.flatMap(({ text }) => [...text.matchAll(HASH)].map(([, hash = ""]) => hash));
    return { hashes, next: { place, after: last } };
  },
);
