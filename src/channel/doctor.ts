import { doctorTexts, type FindingText } from "../core/texts/platforms/doctor.ts";

/** One finding of `switchyard doctor`, with the way to fix it (OP-5). */
export interface DoctorFinding extends FindingText {
  readonly level: "ok" | "warning" | "error";
  /** What was checked: `telegram/default token`. */
  readonly subject: string;
}

/** A clock this far from the platform's makes ages and expiries wrong; at five minutes Slack refuses every request (CH-2). */
const CLOCK_TOLERANCE_MS = 60_000;

/** `serverTime`: the platform's own time when it answered; null: it did not say. */
export function clockFindings(platform: string, serverTime: number | null, subject: string): readonly DoctorFinding[] {
  const off = serverTime === null ? 0 : Date.now() - serverTime;
  if (Math.abs(off) < CLOCK_TOLERANCE_MS) return [];
  const seconds = Math.round(Math.abs(off) / 1_000);
  const text = off > 0 ? doctorTexts.clockAhead(seconds, platform) : doctorTexts.clockBehind(seconds, platform);
  return [{ level: "warning", subject, ...text }];
}

/** When a response was sent, by its `date` header. */
export function serverTimeOf(response: Response): number | null {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : date;
}

/** The finding for an address that does not answer. Its reason never shows the token, which may be part of the address. */
export function unreachableFinding(
  failure: unknown,
  {
    subject,
    url,
    key,
    token,
  }: { readonly subject: string; readonly url: string; readonly key: string; readonly token: string },
): DoctorFinding {
  const reason = failure instanceof Error && failure.cause instanceof Error ? failure.cause.message : String(failure);
  return { level: "error", subject, ...doctorTexts.unreachable(url, reason.replaceAll(token, "…"), key) };
}
