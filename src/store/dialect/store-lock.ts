import { closeSync, constants, existsSync, mkdirSync, openSync, readSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "../../core/errors.ts";
import { lockForeign, storeInUse } from "../../core/texts/store/outcomes.ts";
import { keepPrivate } from "./private-file.ts";
import { sqliteError } from "./sqlite-errors.ts";

export interface StoreLock {
  release(): void;
}

/**
 * One process per store (OP-5): an exclusive transaction on a small database beside it, held for the process's life. The
 * operating system drops it with the process, however that ends, so no stale lock can be left behind.
 * Throws StoreError `store_in_use`, naming the process that holds it.
 */
export function lockStore(file: string): StoreLock {
  let lockFile = `${file}.lock`;
  let ownerFile = `${file}.pid`;
  let lock: Database.Database | null = null;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Beside the real file: two names of one store must meet at one lock (FC-321).
    const real = existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
    lockFile = `${real}.lock`;
    ownerFile = `${real}.pid`;
    for (const own of [lockFile, ownerFile]) keepPrivate(own);
    lock = new Database(lockFile, { timeout: 0 });
    const held = lock;
    held.pragma("locking_mode = exclusive");
    held.exec("begin exclusive");
    writeFileSync(ownerFile, String(process.pid), { mode: 0o600 });
    return { release: () => void held.close() };
  } catch (error) {
    lock?.close();
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
      const message = lockForeign(file, lockFile);
      throw new StoreError("store_corrupt", message, { retryable: false, cause: error });
    }
    if (!code.startsWith("SQLITE_BUSY")) throw sqliteError(error, file);
    const owner = ownerOf(ownerFile);
    throw new StoreError("store_in_use", storeInUse(file, owner), { retryable: false, cause: error });
  }
}

/** In bytes: a process number and a line break. */
const LONGEST_OWNER = 16;

/** Only for a message: whatever stands in its place, a pipe too, neither blocks the start nor is repeated. */
function ownerOf(ownerFile: string): string | null {
  try {
    const file = openSync(ownerFile, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(LONGEST_OWNER);
      const text = bytes.toString("latin1", 0, readSync(file, bytes)).trim();
      return /^\d{1,10}$/.test(text) ? text : null;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // The first process may be between taking the lock and writing its number, or another user owns the file.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
