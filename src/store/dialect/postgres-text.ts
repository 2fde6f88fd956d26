import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/**
 * The pool with NUL taken out of texts: PostgreSQL stores none, SQLite does, and people and models can write one. It becomes
 * U+FFFD, as a lone surrogate does on its way there, so an event that holds one is stored and not poison (IN-3).
 */
export function withoutNul(pool: pg.Pool): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = wrapped.get(client);
      if (known !== undefined) return known;
      // Kysely's type also has cursors, which nothing here uses.
      const made = {
        query: (text: string, parameters: readonly unknown[]) => client.query(text, parameters.map(storable)),
        release: (destroy?: boolean) => client.release(destroy),
      } as unknown as PostgresPoolClient;
      wrapped.set(client, made);
      return made;
    },
    end: () => pool.end(),
  };
}

function storable(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
