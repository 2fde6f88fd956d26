import type { Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { outcomeOf, readRefusal } from "../errors.ts";
import type { SlackWeb } from "../gateway/lookups.ts";
import { channelBucket } from "../render.ts";
import type { Asker } from "./asked.ts";

const ANSWER_MS = 15_000;

/**
 * Shows a text to one person only (CM-3). Such a message can neither be found again nor changed: its id only says that it was
 * shown. null: Slack no longer takes an answer there.
 */
export async function answerPrivately(
  web: SlackWeb,
  { route, text, asker }: { readonly route: Route; readonly text: string; readonly asker: Asker },
): Promise<SendOutcome | null> {
  return asker.by === "slash"
    ? await respond(asker.responseUrl, { response_type: "ephemeral", text })
    : await whisper(web, { route, text, asker });
}

/**
 * Answers at the address that came with a call. It is the proof of the call and is neither logged nor returned. null: Slack no
 * longer takes an answer there. Never throws.
 */
export async function respond(url: string, message: object): Promise<SendOutcome | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
    });
    await response.arrayBuffer();
    if (response.ok) return shown(String(Date.now()));
    return busy(response);
  } catch (error) {
    const { reason } = readRefusal(error);
    return { outcome: "unknown", left: true, reason: reason.replaceAll(url, "the response URL") };
  }
}

/** A limit or a failing server says nothing of the address: it is tried again there. null: the address takes nothing any more. */
function busy({ status, headers }: Response): SendOutcome | null {
  if (status !== 429 && status < 500) return null;
  const seconds = Number(headers.get("retry-after"));
  const afterMs = status === 429 && seconds > 0 ? seconds * 1_000 : null;
  return { outcome: "retry", afterMs, sharesLimitWith: null, reason: `HTTP ${status} at the response URL` };
}

async function whisper(
  web: SlackWeb,
  {
    route,
    text,
    asker,
  }: { readonly route: Route; readonly text: string; readonly asker: Extract<Asker, { by: "message" }> },
): Promise<SendOutcome> {
  try {
    const { message_ts: ts } = await web.chat.postEphemeral({
      channel: route.to,
      user: asker.user,
      text,
      ...(route.threadId === null ? {} : { thread_ts: route.threadId }),
    });
    return shown(ts ?? "");
  } catch (error) {
    return outcomeOf(readRefusal(error), channelBucket(route.to));
  }
}

function shown(at: string): SendOutcome {
  return { outcome: "sent", messageIds: [`ephemeral-${at}`] };
}
