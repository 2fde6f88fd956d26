import { existsSync, statSync } from "node:fs";
import type { DoctorFinding } from "../../channel/doctor.ts";
import { StoreError } from "../../core/errors.ts";
import type { Settings } from "../../core/settings.ts";
import {
  fine,
  noStoreYet,
  notSqlite,
  SUBJECT,
  storeDamaged,
  storeReadable,
  storeSound,
} from "../../core/texts/cli/doctor.ts";
import type { FindingText } from "../../core/texts/platforms/doctor.ts";
import type { StoreFiles } from "../../store/store.ts";
import { databaseFile } from "../invocation.ts";

/** The store can be opened and is sound (OP-10), and only its user can read it. */
export async function checkStore(settings: Settings, files: StoreFiles): Promise<readonly DoctorFinding[]> {
  const file = databaseFile(settings);
  const found = (level: DoctorFinding["level"], text: FindingText): DoctorFinding => ({
    level,
    subject: SUBJECT.store,
    ...text,
  });
  if (!existsSync(file)) return [found("ok", fine(noStoreYet(file)))];
  try {
    const [fault] = files.faults(file);
    if (fault !== undefined) return [found("error", storeDamaged(file, fault))];
  } catch (error) {
    if (error instanceof StoreError && error.code === "store_corrupt") return [found("error", notSqlite(file))];
    return [found("error", fine(error instanceof Error ? error.message : String(error)))];
  }
  const { dataDir } = settings.store;
  const isOpen = (statSync(dataDir).mode & 0o077) !== 0 && (statSync(file).mode & 0o077) !== 0;
  return [found("ok", fine(storeSound(file))), ...(isOpen ? [found("warning", storeReadable(file, dataDir))] : [])];
}
