import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { HostFiles } from "../channel/adapter.ts";
import { fileError } from "../store/file-errors.ts";

const SHA256 = /^[0-9a-f]{64}$/;

/** Where the bytes of attachments lie. */
export function mediaFolder(dataDir: string): string {
  return join(dataDir, "media");
}

/** Whether a file of that folder is an attachment, and whole: one that is being written has another name. */
export function isMediaFile(name: string): boolean {
  return SHA256.test(name);
}

/**
 * Attachments under `<dataDir>/media/<sha256>` (IN-12): written beside, synced and renamed, so a file is whole or not there,
 * and the same bytes twice are kept once. `put` rejects with a StoreError when the disk is full or read-only (OP-10).
 */
export function createMediaStore(options: { readonly dataDir: string; readonly maxBytes: number }): HostFiles {
  const folder = mediaFolder(options.dataDir);
  return {
    maxBytes: options.maxBytes,
    async put(bytes, { name, mime }) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const path = join(folder, sha256);
      if (!(await isKept(path, bytes.byteLength))) await write(folder, path, bytes);
      return { name, mime, bytes: bytes.byteLength, sha256 };
    },
    async get(sha256) {
      if (!SHA256.test(sha256)) return null;
      try {
        return await readFile(join(folder, sha256));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/** Kept again it is young again: the row that will refer to it is written later, and old files without a row are removed. */
async function isKept(path: string, size: number): Promise<boolean> {
  try {
    if ((await stat(path)).size !== size) return false;
    const now = new Date();
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function write(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const beside = join(folder, `.${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw fileError(error, path);
  }
}

/** The file or folder is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
