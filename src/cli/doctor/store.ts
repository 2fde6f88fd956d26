import { existsSync, statSync } from "node:fs";
import type { DoctorFinding } from "../../channel/doctor.ts";
import { StoreError } from "../../core/errors.ts";
import type { Settings } from "../../core/settings.ts";
import type { StoreFiles } from "../../store/store.ts";
import { databaseFile } from "../invocation.ts";

const RESTORE = "Stop Switchyard and restore a backup; `switchyard db backup` makes them.";

/** The store can be opened and is sound (OP-10), and only its user can read it. */
export async function checkStore(settings: Settings, files: StoreFiles): Promise<readonly DoctorFinding[]> {
  const file = databaseFile(settings);
  const subject = "store";
  if (!existsSync(file))
    return [{ level: "ok", subject, message: `${file} does not exist yet; the first start makes it`, fix: null }];
  try {
    const faults = files.faults(file);
    if (faults.length > 0) {
      return [
        {
          level: "error",
          subject,
          message: `${file} is damaged: ${faults[0]}`,
          fix: RESTORE,
        },
      ];
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === "store_corrupt") {
      return [{ level: "error", subject, message: `${file} is damaged or not a SQLite database`, fix: RESTORE }];
    }
    const message = error instanceof Error ? error.message : String(error);
    return [{ level: "error", subject, message, fix: null }];
  }
  const findings: DoctorFinding[] = [{ level: "ok", subject, message: `${file} is sound`, fix: null }];
  if ((statSync(settings.store.dataDir).mode & 0o077) !== 0 && (statSync(file).mode & 0o077) !== 0) {
    findings.push({
      level: "warning",
      subject,
      message: `others on this machine can read ${file}`,
      fix: `Run: chmod 700 ${settings.store.dataDir}`,
    });
  }
  return findings;
}
