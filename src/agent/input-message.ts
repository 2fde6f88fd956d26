import type { InboxItem } from "../core/message/inbox-item.ts";
import type { MessagePart, NewMessage } from "../core/message/transcript.ts";
import { assertNever } from "../core/runtime.ts";
import { agentOf } from "../core/session/session-key.ts";
import { ANNOUNCE_SKIP, REPLY_SKIP } from "../core/text/control-words.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { escapeMarkers } from "../core/text/markers.ts";
import { eventText, inEnvelope, type TimeText } from "../routing/envelope.ts";

/** TN-17: one inbound message. */
const MAX_INPUT_BYTES = 64 * 1024;

/**
 * How an input reads in the transcript (IN-10, SP-4, ST-23). The envelope is ours; what stands inside it has its own
 * brackets escaped, so that no text can pass itself off as another envelope.
 */
export function toMessage(item: InboxItem, timeText: TimeText): NewMessage {
  return { role: "user", parts: partsOf(item, timeText), provenance: item.provenance, usage: null };
}

function partsOf(item: InboxItem, timeText: TimeText): readonly MessagePart[] {
  const { payload } = item;
  switch (payload.kind) {
    case "event":
      return [
        { type: "text", text: bounded(eventText(item, payload, timeText)) },
        ...payload.attachments.map((attachment): MessagePart => ({ type: "attachment", attachment })),
      ];
    case "task":
      return text(`[Subagent Task] ${escapeMarkers(payload.text)}`);
    case "steer":
      return text(`[System: guidance from ${inEnvelope(payload.from)}] ${escapeMarkers(payload.text)}`);
    case "inter_session":
      return text(interSession(payload, item.runId ?? ""));
    case "completion":
      return text(payload.text);
    case "notice":
      return text(`[System: ${escapeMarkers(payload.text)}]`);
    case "command":
      throw new Error("a command never enters a transcript");
  }
}

function interSession(payload: Extract<InboxItem["payload"], { kind: "inter_session" }>, runId: string): string {
  const channel = payload.fromChannel ?? "none";
  const head = `[Inter-session message from=${payload.from} agent=${agentOf(payload.from)} channel=${channel} isUser=false]`;
  return [head, stageText(payload, runId), escapeMarkers(payload.text)].filter((text) => text !== "").join(" ");
}

/** What the words after it are for, and who reads the answer (ST-24, ST-25). */
function stageText({ stage, from }: Extract<InboxItem["payload"], { kind: "inter_session" }>, runId: string): string {
  switch (stage.kind) {
    case "message":
    case "late_reply":
      return "";
    case "reply_back": {
      const known = stage.turn === 1 ? " You have read their reply." : "";
      return `[Reply-back ${stage.turn}/${stage.of}, run ${runId}:${known} What you answer now goes to ${from} only, not to people. Answer exactly ${REPLY_SKIP} when there is nothing more to say to them.]`;
    }
    case "announce":
      return `[Announce, run ${runId}: the exchange with ${from} is over. What you answer now is posted in your own conversation. Answer exactly ${ANNOUNCE_SKIP} when people there need not see anything of it.]`;
    default:
      return assertNever(stage);
  }
}

function text(value: string): readonly MessagePart[] {
  return [{ type: "text", text: bounded(value) }];
}

function bounded(value: string): string {
  return cutMiddle(value, MAX_INPUT_BYTES).text;
}
