import { checkBlocks, withIds } from "./blocks.ts";
import type { Attempt, AttemptResult, PayloadKind } from "./delivery.ts";
import { edit, post, remove } from "./messages.ts";
import type { AppRecord, ConversationRecord, ResponseUrlRecord, UserRecord } from "./records.ts";
import { refused } from "./refusal.ts";
import type { World } from "./world.ts";

const RESPONSE_URL_MS = 30 * 60_000;
const RESPONSE_URL_USES = 5;
const TRIGGER_MS = 3000;

/** How the app took an interaction, and what the person saw when it did not. */
export type InteractionOutcome =
  | { kind: "acknowledged"; response: Record<string, unknown> }
  /** Nobody is there to take it. */
  | { kind: "dispatch_failed" }
  /** Not acknowledged within three seconds. */
  | { kind: "operation_timeout" };

interface Where {
  conversation: ConversationRecord;
  threadTs: string | null;
  messageTs: string | null;
}

export type DeliverOne = (app: AppRecord, attempt: Attempt) => Promise<AttemptResult>;

/** Fields every payload of something a person did has. */
export function commonFields(world: World, app: AppRecord, user: UserRecord): Record<string, unknown> {
  const id = `${world.count("trigger")}.${app.team.id}.emulated`;
  world.triggers.set(id, { id, appId: app.id, userId: user.id, until: world.clock() + TRIGGER_MS, used: false });
  return { token: "emulated-verification-token", trigger_id: id, api_app_id: app.id };
}

/** A URL at which the app may answer an interaction. */
export function responseUrl(world: World, app: AppRecord, user: UserRecord, where: Where): string {
  const key = `${app.team.id}/${world.count("response")}`;
  world.responseUrls.set(key, {
    key,
    appId: app.id,
    userId: user.id,
    ...where,
    until: world.clock() + RESPONSE_URL_MS,
    usesLeft: RESPONSE_URL_USES,
  });
  return `${world.origin}/response/${key}`;
}

/** Brings an interaction to the app, once: the platform never repeats these. */
export async function interact(
  deliver: DeliverOne,
  app: AppRecord,
  kind: Exclude<PayloadKind, "events_api">,
  payload: Record<string, unknown>,
): Promise<InteractionOutcome> {
  const result = await deliver(app, { kind, payload, retry: 0, retryReason: null });
  if (result.ok) return { kind: "acknowledged", response: result.response };
  return { kind: result.reason === "timeout" ? "operation_timeout" : "dispatch_failed" };
}

interface Answer {
  text?: unknown;
  blocks?: unknown;
  response_type?: unknown;
  replace_original?: unknown;
  delete_original?: unknown;
  thread_ts?: unknown;
}

/** Shows an app's answer to an interaction: to the person alone, to everybody, or in place of the message. */
export function showAnswer(
  world: World,
  where: Omit<ResponseUrlRecord, "key" | "until" | "usesLeft">,
  answer: Answer,
): void {
  const app = world.appById(where.appId);
  const { conversation } = where;
  const blocks = Array.isArray(answer.blocks) ? answer.blocks : [];
  const text = typeof answer.text === "string" ? answer.text : "";
  const original = where.messageTs === null ? undefined : conversation.messages.get(where.messageTs);
  if (answer.delete_original === true && original !== undefined) {
    remove(world, conversation, original);
    return;
  }
  const seen = conversation.ephemerals.find(({ ts }) => ts === where.messageTs);
  if (answer.delete_original === true && seen !== undefined) {
    conversation.ephemerals.splice(conversation.ephemerals.indexOf(seen), 1);
    return;
  }
  if (text === "" && blocks.length === 0) throw refused("no_text");
  checkBlocks(blocks);
  const shown = { text, ...(blocks.length === 0 ? {} : { blocks: withIds(blocks, String(world.count("client"))) }) };
  const threadTs = typeof answer.thread_ts === "string" ? answer.thread_ts : where.threadTs;
  if (answer.replace_original === true && original !== undefined) {
    edit(world, conversation, original, { content: shown, editor: app.user.id });
  } else if (answer.replace_original === true && seen !== undefined) {
    Object.assign(seen, { seq: world.nextSeq(), text, blocks, offered: new Map() });
    world.signals.changed();
  } else if (answer.response_type === "in_channel") {
    post(world, conversation, { author: app.user, content: shown, threadTs });
  } else {
    const seq = world.nextSeq();
    const ts = world.nextTs();
    conversation.ephemerals.push({
      seq,
      ts,
      userId: where.userId,
      appId: app.id,
      threadTs,
      text,
      blocks,
      offered: new Map(),
    });
    world.signals.changed();
  }
}

/** A POST to a response URL. Refuses when it is used up or over. */
export function useResponseUrl(world: World, key: string, answer: Answer): void {
  const record = world.responseUrls.get(key);
  if (record === undefined) throw refused("invalid_url");
  if (world.clock() > record.until) throw refused("expired_url");
  if (record.usesLeft === 0) throw refused("used_url");
  record.usesLeft -= 1;
  showAnswer(world, record, answer);
}
