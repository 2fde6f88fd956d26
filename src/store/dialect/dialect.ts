/** The two databases the same steps and migrations run on. */
export type Dialect = "sqlite" | "postgres";
