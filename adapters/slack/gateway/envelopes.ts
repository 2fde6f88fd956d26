import { inTime } from "../../../src/channel/intake.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import type { SlackIntake } from "../inbound/intake.ts";

/** What comes over a socket, as the client library hands it on. */
export interface Envelope {
  readonly type: string;
  readonly body: unknown;
  /** `response` is what Slack waits for, where it waits for something. Rejects when the socket is gone. */
  acknowledge(response?: object): Promise<void>;
}

/**
 * Takes one envelope. An event is acknowledged when it is stored, and not at all when that takes too long: Slack sends it
 * again then, and its identity is known (IN-3, FC-070). Everything a person waits for is acknowledged before anything else,
 * and so is what nobody knows (FC-062). Never rejects.
 */
export async function takeEnvelope(envelope: Envelope, intake: SlackIntake, log: Logger): Promise<void> {
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
