import { existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { DoctorFinding } from "../../channel/descriptor.ts";
import { StoreError } from "../../core/errors.ts";
import type { Clock } from "../../core/runtime.ts";
import type { Settings } from "../../core/settings.ts";
import {
  clockWrong,
  diskFree,
  fine,
  noStoreYet,
  notSqlite,
  PORT_OURS,
  PORT_TAKEN,
  portFree,
  portProblem,
  SUBJECT,
  storeDamaged,
  storeReadable,
  storeSound,
} from "../../core/texts/cli/doctor.ts";
import type { FindingText } from "../../core/texts/platforms/doctor.ts";
import type { StoreFiles } from "../../store/store.ts";
import { databaseFile } from "../invocation.ts";

/** No clock that is right shows a time before this version was released. */
const MADE_AT = Date.UTC(2026, 10, 1);

/** A clock that is plainly wrong. Small errors are found by the channels, which compare it with their platform's. */
export async function checkClock(clock: Clock): Promise<readonly DoctorFinding[]> {
  const now = clock.now();
  const text = new Date(now).toISOString();
  if (now >= MADE_AT) return [{ level: "ok", subject: SUBJECT.clock, ...fine(text) }];
  return [{ level: "error", subject: SUBJECT.clock, ...clockWrong(text) }];
}

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
  const level = free < TOO_LITTLE ? "error" : free < ENOUGH ? "warning" : "ok";
  return { level, subject: SUBJECT.disk, ...diskFree(Math.floor(free / MIB), folder, level === "ok") };
}

/** The page's port can be taken; while Switchyard runs it is taken by itself (OP-6). */
export async function checkPort(
  { host, port }: Settings["http"],
  isRunning: boolean,
): Promise<readonly DoctorFinding[]> {
  const subject = SUBJECT.port;
  const place = `${host}:${port}`;
  if (isRunning) return [{ level: "ok", subject, ...fine(PORT_OURS) }];
  const problem = await listenProblem(host, port);
  if (problem === null) return [{ level: "ok", subject, ...fine(portFree(place)) }];
  return [{ level: "error", subject, ...portProblem(place, problem) }];
}

function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "EADDRINUSE" ? PORT_TAKEN : error.message),
    );
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

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
