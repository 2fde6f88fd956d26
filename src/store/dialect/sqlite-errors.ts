import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { BridgeError } from "../../core/errors.ts";
import { type FileFault, faultError, systemFault } from "../file-errors.ts";

/** Maps what better-sqlite3 and the file system throw to a StoreError that names the file and what to do (OP-10). */
export function sqliteError(error: unknown, file: string): unknown {
  if (error instanceof BridgeError) return error;
  const code = codeOf(error);
  const fault = code === null ? null : faultOf(code.startsWith("SQLITE_CANTOPEN") ? reasonBehind(code, file) : code);
  return fault === null ? error : faultError(fault, file, error);
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.message.startsWith("SQLITE_FULL") ? "SQLITE_FULL" : null;
}

/** SQLite says only "cannot open" of a file or journal it may not create; the operating system knows why. */
function reasonBehind(code: string, file: string): string {
  try {
    accessSync(dirname(file), constants.W_OK);
    return code;
  } catch (error) {
    return codeOf(error) ?? code;
  }
}

/** Result codes by their beginning, since the extended ones (`SQLITE_IOERR_WRITE`) mean the same here. */
const FAULTS: readonly (readonly [string, FileFault])[] = [
  ["SQLITE_FULL", "full"],
  ["SQLITE_IOERR", "full"],
  ["SQLITE_READONLY", "readonly"],
  ["SQLITE_PERM", "readonly"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "corrupt"],
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_CANTOPEN", "missing"],
];

function faultOf(code: string): FileFault | null {
  return FAULTS.find(([start]) => code.startsWith(start))?.[1] ?? systemFault(code);
}
