import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { DoctorFinding } from "../../channel/doctor.ts";
import type { Clock } from "../../core/runtime.ts";
import type { Settings } from "../../core/settings.ts";

/** This version was made then; a clock before it is wrong. */
const MADE_AT = Date.UTC(2026, 10, 1);

/** A clock that is plainly wrong. Small errors are found by the channels, which compare it with their platform's. */
export async function checkClock(clock: Clock): Promise<readonly DoctorFinding[]> {
  const now = clock.now();
  const text = new Date(now).toISOString();
  if (now >= MADE_AT) return [{ level: "ok", subject: "clock", message: text, fix: null }];
  return [
    {
      level: "error",
      subject: "clock",
      message: `it says ${text}, which is before this version was made`,
      fix: "Set the system's clock, for example with NTP.",
    },
  ];
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
  const message = `${Math.floor(free / MIB)} MiB free in ${folder}`;
  const level = free < TOO_LITTLE ? "error" : free < ENOUGH ? "warning" : "ok";
  return {
    level,
    subject: "disk",
    message,
    fix: level === "ok" ? null : "Free some space, or move store.url to a larger disk.",
  };
}

/** The page's port can be taken; while Switchyard runs it is taken by itself (OP-6). */
export async function checkPort(
  { host, port }: Settings["http"],
  isRunning: boolean,
): Promise<readonly DoctorFinding[]> {
  const subject = "port";
  const place = `${host}:${port}`;
  if (isRunning)
    return [{ level: "ok", subject, message: `in use by the Switchyard that runs on this store`, fix: null }];
  const problem = await listenProblem(host, port);
  if (problem === null) return [{ level: "ok", subject, message: `${place} is free`, fix: null }];
  return [
    {
      level: "error",
      subject,
      message: `${place} cannot be used: ${problem}`,
      fix: "Choose another with http.port, --port or SWITCHYARD_PORT; 0 takes any free one.",
    },
  ];
}

function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "EADDRINUSE" ? "another program uses it" : error.message),
    );
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
