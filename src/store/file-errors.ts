import { BridgeError, StoreError } from "../core/errors.ts";
import { storeBusy, storeCorrupt, storeFull, storeMissing, storeReadOnly } from "../core/texts/store/outcomes.ts";

/** What can be wrong with a file the store keeps. */
export type FileFault = "full" | "readonly" | "corrupt" | "busy" | "missing";

const FAULTS: Readonly<Record<FileFault, { readonly message: (file: string) => string; readonly retryable: boolean }>> =
  {
    full: { message: storeFull, retryable: true },
    readonly: { message: storeReadOnly, retryable: true },
    corrupt: { message: storeCorrupt, retryable: false },
    busy: { message: storeBusy, retryable: true },
    missing: { message: storeMissing, retryable: false },
  };

/** Maps what the file system throws to a StoreError that names the file and what to do (OP-10); anything else stays as it is. */
export function fileError(error: unknown, file: string): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error;
  const fault = "code" in error ? systemFault(error.code) : null;
  return fault === null ? error : faultError(fault, file, error);
}

export function faultError(fault: FileFault, file: string, cause: unknown): StoreError {
  const { message, retryable } = FAULTS[fault];
  return new StoreError(`store_${fault}`, message(file), { retryable, cause });
}

/** The fault behind an error code of the operating system; null: it says nothing about the file. */
export function systemFault(code: unknown): FileFault | null {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "full";
    case "EACCES":
    case "EROFS":
      return "readonly";
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST":
      return "missing";
    default:
      return null;
  }
}
