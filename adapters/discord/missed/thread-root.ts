import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import type { ThreadRoot } from "../../../src/channel/capabilities.ts";
import { readRefusal } from "../errors.ts";
import { shapes } from "../inbound/content.ts";
import { readRoot } from "../inbound/inbound.ts";
import type { DiscordIntake } from "../inbound/intake.ts";

/**
 * The message a thread hangs on (FC-206): it has the thread's id, and is in the channel around it, a post's in the post itself.
 * null: the thread was made without one, or it is gone. Rejects when Discord does not answer.
 */
export async function readThreadRoot(
  { rest, intake }: { readonly rest: REST; readonly intake: Pick<DiscordIntake, "reading"> },
  threadId: string,
  signal: AbortSignal,
): Promise<ThreadRoot | null> {
  const parent = (await intake.reading(threadId))?.place.parent ?? null;
  if (parent === null) return null;
  const channelId = parent.holdsMessages ? parent.id : threadId;
  const reading = await intake.reading(channelId);
  if (reading === null) return null;
  try {
    const message = shapes.message(await rest.get(Routes.channelMessage(channelId, threadId), { signal }));
    return readRoot(message, reading);
  } catch (error) {
    if (readRefusal(error).kind === "message_gone") return null;
    throw error;
  }
}
