import type { DoctorFinding } from "../../channel/descriptor.ts";
import type { Clock } from "../../core/runtime.ts";

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
