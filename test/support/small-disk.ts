import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own, in memory, that can be filled and made read-only. */
export interface SmallDisk {
  readonly folder: string;
  /** Another program writes until nothing more fits, or until only about `leave` bytes do. */
  fill(leave?: number): void;
  /** That program's file is gone. */
  free(): void;
  readOnly(): void;
  writable(): void;
  unmount(): void;
}

/** Why no disk can be mounted here; null when it can. It takes root on Linux. */
export function whyNoDisk(): string | null {
  try {
    mountDisk(1).unmount();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function mountDisk(mebibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "sd-"));
  const mount = (...args: readonly string[]): void =>
    void execFileSync("mount", [...args, folder], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    mount("-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs");
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill: (leave = 0) => {
      const file = openSync(filler, "a");
      // The last page too: a smaller write may still fit where a larger one did not.
      for (let size = 1_048_576; size >= 4_096; ) {
        if (freeBytes(folder) - size < leave || !grows(file, size)) size /= 2;
      }
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    readOnly: () => mount("-o", "remount,ro"),
    writable: () => mount("-o", "remount,rw"),
    unmount: () => {
      // Lazily: what a killed process left open must not fail the test's end.
      execFileSync("umount", ["-l", folder]);
      rmdirSync(folder);
    },
  };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function grows(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
