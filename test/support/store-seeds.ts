import type { NewDelivery, Route } from "../../src/core/delivery/delivery.ts";
import { OPERATOR_RIGHTS } from "../../src/core/session/rights.ts";
import { newChain } from "../../src/core/session/run.ts";
import { buildSessionKey, type SessionKey } from "../../src/core/session/session-key.ts";
import { notices } from "../../src/core/texts/chat/notices.ts";
import { insertDeliveries } from "../../src/store/parts/outbox.ts";
import { askPairing, type PairingAsk } from "../../src/store/parts/pairing-ask.ts";
import { ensureSession } from "../../src/store/parts/sessions.ts";
import { insertMessages } from "../../src/store/parts/transcript.ts";
import { killRun } from "../../src/store/steps/runs/kill-run.ts";
import { spawn } from "../../src/store/steps/runs/spawn.ts";
import { defineStep } from "../../src/store/store.ts";

/** A session with a person's message and the agent's answer. */
export const seedSession = defineStep(
  "seed-session",
  "normal",
  async (context, input: { readonly key: SessionKey; readonly route: Route | null; readonly text: string }) => {
    const channel = input.route?.channel ?? null;
    const session = await ensureSession(context, {
      key: input.key,
      agentId: "main",
      channel,
      originRoute: input.route,
    });
    const sender = { channel: "telegram", accountId: "default", id: "111" };
    await insertMessages(context, { sessionId: session.sessionId, sessionKey: input.key, turnId: null }, [
      {
        role: "user",
        parts: [{ type: "text", text: input.text }],
        provenance: { kind: "human", sender, senderName: "Ann", messageId: "1" },
        usage: null,
      },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "Let me look." },
          { type: "tool_call", callId: "c1", name: "sessions_list", args: { limit: 1 }, providerData: null },
        ],
        provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
        usage: null,
      },
    ]);
    return session.sessionId;
  },
);

/** A sub-agent's run whose result its requester's turn failed on. */
export const seedLostResult = defineStep(
  "seed-lost-result",
  "normal",
  async (context, input: { readonly requester: SessionKey; readonly runId: string }) => {
    const { requester, runId } = input;
    await ensureSession(context, { key: requester, agentId: "main", channel: null, originRoute: null });
    const child = buildSessionKey({ kind: "subagent", agentId: "main", id: runId });
    await spawn.run(context, {
      ...{ callId: runId, runId, parent: requester, childKey: child, agentId: "main", task: "read", label: "news" },
      ...{ taskName: null, model: "demo/switchyard", modelOverride: null, thinking: null, cleanup: "keep" },
      ...{ expectsCompletion: true, completionTarget: "channel", mode: "run", thread: null, fork: null, route: null },
      ...{ rights: OPERATOR_RIGHTS, chain: newChain("turn"), runTimeoutMs: 0, maxChildren: 5, turn: null },
    });
    await killRun.run(context, { runId, archiveAfterMs: null });
    const failed = { state: "failed", reason: "the model failed", settled_at: context.now };
    await context.db.updateTable("completions").set(failed).where("run_id", "=", runId).execute();
  },
);

/** A delivery in a given state. */
export const seedDelivery = defineStep(
  "seed-delivery",
  "normal",
  async (
    context,
    input: { readonly delivery: NewDelivery; readonly state: string; readonly reason: string | null },
  ) => {
    await insertDeliveries(context, { deliveries: [input.delivery], sessionKey: null, turnId: null, runId: null });
    const row = await context.db
      .updateTable("deliveries")
      .set({ state: input.state, reason: input.reason })
      .where("key", "=", input.delivery.key)
      .returning("id")
      .executeTakeFirstOrThrow();
    return row.id;
  },
);

/** A request for access without a message. */
export function seededAsk(
  code: string,
  now: number,
): Omit<PairingAsk, "channel" | "accountId" | "senderId" | "senderName"> {
  const route = { channel: "telegram", accountId: "default", to: "222", threadId: null };
  const piece = { rich: notices.welcome, plain: notices.welcome };
  const content = { kind: "message", piece, replyTo: null, private: false } as const;
  return {
    ...{ code, expiresAt: now + 3_600_000, maxWaiting: 3, event: null },
    greeting: { key: `welcome:${code}`, route, content },
  };
}

/** A person waits to be let in. */
export const seedPairing = defineStep("seed-pairing", "normal", async (context, code: string) => {
  const person = { channel: "telegram", accountId: "default", senderId: "222", senderName: "Bob" };
  await askPairing(context, { ...seededAsk(code, context.now), ...person });
});

/** A stored event that was refused. */
export const seedRefusal = defineStep("seed-refusal", "normal", async ({ db, now }, link: string) => {
  await db
    .insertInto("inbound_events")
    .values({
      identity: "telegram/1/111/5/message/0",
      channel: "telegram",
      account_id: "default",
      conversation: "telegram/default/111/",
      message_id: "5",
      sender_id: "111",
      from_bot: 0,
      facts_json: "{}",
      album: null,
      result: "refused",
      rule: "channels.telegram.allowFrom",
      session_key: null,
      inbox_seq: null,
      link,
      received_at: now,
    })
    .execute();
});
