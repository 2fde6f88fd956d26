import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { BridgeError, StoreError } from "../../core/errors.ts";

/**
 * Maps what better-sqlite3 and the file system throw to a StoreError whose message names the file, what happened and what to
 * do (OP-10).
 */
export function sqliteError(error: unknown, file: string): unknown {
  if (error instanceof BridgeError) return error;
  const code = codeOf(error);
  const fault = code === null ? null : faultOf(code.startsWith("SQLITE_CANTOPEN") ? reasonBehind(code, file) : code);
  if (fault === null) return error;
  const message = `store ${file}: ${fault.what}. ${fault.remedy}`;
  return new StoreError(fault.code, message, { retryable: fault.retryable, cause: error });
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.message.startsWith("SQLITE_FULL") ? "SQLITE_FULL" : null;
}

/** SQLite says only "cannot open" of a file it may not make, or whose journal it may not make; the system knows why. */
function reasonBehind(code: string, file: string): string {
  try {
    accessSync(dirname(file), constants.W_OK);
    return code;
  } catch (error) {
    return codeOf(error) ?? code;
  }
}

interface Fault {
  readonly code: string;
  readonly what: string;
  readonly remedy: string;
  readonly retryable: boolean;
}

function faultOf(code: string): Fault | null {
  if (code === "SQLITE_FULL" || code.startsWith("SQLITE_IOERR") || code === "ENOSPC" || code === "EDQUOT") {
    return {
      code: "store_full",
      what: "the disk is full or cannot be written",
      remedy: "Free some space; a running Switchyard goes on by itself, and nothing that was acknowledged is lost",
      retryable: true,
    };
  }
  if (code.startsWith("SQLITE_READONLY") || code === "EACCES" || code === "EROFS" || code === "SQLITE_PERM") {
    return {
      code: "store_readonly",
      what: "the file or its folder is read-only",
      remedy: "Make both writable for the user that runs Switchyard",
      retryable: true,
    };
  }
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return {
      code: "store_corrupt",
      what: "the file is damaged or not a SQLite database",
      remedy: "Move it away and restore a backup (switchyard db backup makes them), or name another file in store.url",
      retryable: false,
    };
  }
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") {
    return {
      code: "store_busy",
      what: "another program holds the file locked",
      remedy: "Close the other program",
      retryable: true,
    };
  }
  if (code.startsWith("SQLITE_CANTOPEN") || code === "ENOENT" || code === "ENOTDIR" || code === "EEXIST") {
    return {
      code: "store_missing",
      what: "the file cannot be opened",
      remedy: "Check that the folder exists and is readable, and that store.url names the right file",
      retryable: false,
    };
  }
  return null;
}
