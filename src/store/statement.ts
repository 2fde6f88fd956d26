import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** A query that is built once and run with other values each time. */
export interface Statement<P, R> {
  all(db: Kysely<Schema>, values: P): Promise<readonly R[]>;
  first(db: Kysely<Schema>, values: P): Promise<R | undefined>;
  /** How many rows it wrote. */
  run(db: Kysely<Schema>, values: P): Promise<number>;
}

/** A placeholder for a value while the query is built. It can only be passed on: a value made from it would be the same in every run. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  toJSON(): never {
    throw new Error(`statement: the value "${this.name}" is known only when the statement runs; work it out there`);
  }

  [Symbol.toPrimitive](): never {
    return this.toJSON();
  }
}

/**
 * For what every message runs: Kysely takes longer to build such a query than the database to run it. `build` is called
 * once for each database; each property of `p` becomes a parameter, anything else stays as it is. Every run gives the same
 * properties. What differs in form, not in values (a list, a condition left out), is another statement.
 */
export function defineStatement<P extends object, R>(
  build: (db: Kysely<Schema>, p: P) => Compilable<R>,
): Statement<P, R> {
  const compiled = new WeakMap<object, CompiledQuery<R>>();

  function compile(db: Kysely<Schema>, values: P): CompiledQuery<R> {
    // One per opened database, and the same in all its transactions.
    const { adapter } = db.getExecutor();
    const known = compiled.get(adapter);
    if (known !== undefined) return known;
    const p = Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)])) as P;
    const query = build(db, p).compile();
    compiled.set(adapter, query);
    return query;
  }

  function execute(db: Kysely<Schema>, values: P) {
    const query = compile(db, values);
    const given = values as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? given[value.name] : value));
    return db.executeQuery<R>({ ...query, parameters });
  }

  return {
    all: async (db, values) => (await execute(db, values)).rows,
    first: async (db, values) => (await execute(db, values)).rows[0],
    run: async (db, values) => Number((await execute(db, values)).numAffectedRows ?? 0),
  };
}
