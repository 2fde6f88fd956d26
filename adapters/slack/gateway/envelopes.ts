import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../src/core/runtime.ts";
import type { Intake } from "../inbound/intake.ts";

/** IN-3. Slack takes an acknowledgement for 3 s; one that comes later would hide that the event comes again. */
export const ACKNOWLEDGE_MS = 2_500;

/** What comes over a socket, as the client library hands it on. */
export interface Envelope {
  readonly type: string;
  readonly body: unknown;
  /** `response` is what Slack waits for, where it waits for something. Rejects when the socket is gone. */
  acknowledge(response?: object): Promise<void>;
}

/** Whether the work was done within the time that Slack gives. Rejects when it failed within it. */
export async function inTime(work: Promise<void>, ms = ACKNOWLEDGE_MS): Promise<boolean> {
  const late = new AbortController();
  const timer = sleep(ms, false, { signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), timer]);
  } finally {
    late.abort();
  }
}

/**
 * Takes one envelope. An event is acknowledged when it is stored, and not at all when that takes too long: Slack sends it
 * again then, and its identity is known (IN-3, FC-070). Everything a person waits for is acknowledged before anything else,
 * and so is what nobody knows (FC-062). Never rejects.
 */
export async function takeEnvelope(envelope: Envelope, intake: Intake, log: Logger): Promise<void> {
  const { type, body } = envelope;
  const untaken = (error: unknown): void =>
    log.debug({ err: error, type }, "an envelope was not taken or not acknowledged; what it holds comes again");
  try {
    if (type === "events_api") {
      const work = intake.take(body);
      if (await inTime(work)) return await envelope.acknowledge();
      // Not waited for: in a burst, what comes again would be kept here with all its content until its first arrival is stored.
      work.catch(untaken);
      return;
    }
    if (type === "interactive" && isSuggestion(body)) {
      await envelope.acknowledge({ options: await intake.options(body) });
      return;
    }
    await envelope.acknowledge();
    if (type === "interactive") await intake.takeChoice(body);
    if (type === "slash_commands") await intake.takeSlash(body);
  } catch (error) {
    untaken(error);
  }
}

/** Whether options are waited for: the acknowledgement brings them. */
export function isSuggestion(body: unknown): boolean {
  return typeof body === "object" && body !== null && "type" in body && body.type === "block_suggestion";
}
