import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { DoctorFinding } from "../../channel/descriptor.ts";

const MIB = 1_048_576;
const ENOUGH = 1_024 * MIB;
const TOO_LITTLE = 100 * MIB;

/** Room for the store and attachments: under 1 GiB is a warning, under 100 MiB an error. */
export async function checkDisk(dataDir: string): Promise<readonly DoctorFinding[]> {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  return [diskFinding(bavail * bsize, folder)];
}

export function diskFinding(free: number, folder: string): DoctorFinding {
  const message = `${Math.floor(free / MIB)} MiB free in ${folder}`;
  const level = free < TOO_LITTLE ? "error" : free < ENOUGH ? "warning" : "ok";
  return {
    level,
    subject: "disk",
    message,
    fix: level === "ok" ? null : "Free some space, or move store.url to a larger disk.",
  };
}
