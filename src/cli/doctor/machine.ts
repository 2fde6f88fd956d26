import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { DoctorFinding } from "../../channel/doctor.ts";
import type { Clock } from "../../core/runtime.ts";
import type { Settings } from "../../core/settings.ts";
import {
  clockWrong,
  diskFree,
  fine,
  PORT_OURS,
  PORT_TAKEN,
  portFree,
  portProblem,
  SUBJECT,
} from "../../core/texts/cli/doctor.ts";

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
