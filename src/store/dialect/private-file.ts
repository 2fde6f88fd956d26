import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";

const OTHERS = 0o077;

/**
 * Creates a file that only this user can read and write, before anything else opens it; one that is there and ours is made so
 * (FC-410). SQLite gives its `-wal` and `-shm` the mode of the database. Whoever can read a lock file could hold it.
 */
export function keepPrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const { mode, uid } = statSync(file);
  if ((mode & OTHERS) !== 0 && uid === process.getuid?.()) chmodSync(file, 0o600);
}
