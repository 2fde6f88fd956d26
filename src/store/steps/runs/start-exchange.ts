import type { Route } from "../../../core/delivery/delivery.ts";
import type { CallId, RunId, TurnId } from "../../../core/ids.ts";
import type { Rights } from "../../../core/session/rights.ts";
import type { Chain, Exchange } from "../../../core/session/run.ts";
import { agentOf, type SessionKey } from "../../../core/session/session-key.ts";
import { openChain } from "../../parts/chains.ts";
import { insertInput } from "../../parts/inputs.ts";
import { unwatch, watch } from "../../parts/session-log.ts";
import { exchangeFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

export interface StartExchangeInput {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly from: SessionKey;
  readonly fromChannel: string | null;
  readonly to: SessionKey;
  /** The requester's turn that asks. */
  readonly turnId: TurnId;
  readonly message: string;
  /** null: the sender does not wait. */
  readonly waitMs: number | null;
  /** The sender's own route, for a reply that comes late. */
  readonly route: Route | null;
  /** What every turn of it works with: the lower of both sides (TN-14). */
  readonly rights: Rights;
  readonly targetModel: string;
  readonly chain: Chain;
  /** The most reply-back turns there may be (ST-24). */
  readonly rounds: number;
  readonly announces: boolean;
  /** True: the sender is told of changes in the target from now on; false: no more; undefined: as it is (ST-27). */
  readonly watch: boolean | undefined;
}

/**
 * Stores the exchange and the target's input in one transaction, keyed by the tool call (ST-21). A replay returns the first.
 * null: the target has been removed since it was looked up (SP-1 `cleanup: "delete"`), and nothing was stored.
 */
export const startExchange = defineStep(
  "start-exchange",
  "normal",
  async (context, input: StartExchangeInput): Promise<Exchange | null> => {
    const { db, now } = context;
    const known = await db.selectFrom("exchanges").selectAll().where("call_id", "=", input.callId).executeTakeFirst();
    if (known !== undefined) return exchangeFromRow(known);
    const sender = await db
      .selectFrom("sessions")
      .select(["session_id", "depth"])
      .where("key", "=", input.from)
      .executeTakeFirstOrThrow();
    const target = await db
      .selectFrom("sessions")
      .select(["session_id", "state_version"])
      .where("key", "=", input.to)
      .executeTakeFirst();
    if (target === undefined) return null;
    const rights = JSON.stringify(input.rights);
    const route = input.route === null ? null : JSON.stringify(input.route);
    await db
      .insertInto("runs")
      .values({
        id: input.runId,
        kind: "send",
        call_id: input.callId,
        session_key: input.to,
        wake_key: input.from,
        wake_session_id: sender.session_id,
        route_json: route,
        rights_json: rights,
        chain_json: null,
        state: "queued",
        outcome: null,
        result: null,
        error: null,
        task: input.message,
        label: null,
        task_name: null,
        mode: "run",
        cleanup: "keep",
        agent_id: agentOf(input.to),
        model: input.targetModel,
        depth: sender.depth,
        expects_completion: 0,
        completion_target: "parent",
        context: "isolated",
        timeout_at: null,
        input_tokens: 0,
        output_tokens: 0,
        created_at: now,
        started_at: null,
        ended_at: null,
      })
      .execute();
    const row = {
      run_id: input.runId,
      call_id: input.callId,
      from_key: input.from,
      to_key: input.to,
      from_session_id: sender.session_id,
      to_session_id: target.session_id,
      from_turn_id: input.turnId,
      state: input.waitMs === null ? "expired" : "waiting",
      deadline: input.waitMs === null ? null : now + input.waitMs,
      route_json: route,
      rights_json: rights,
      chain_json: JSON.stringify(input.chain),
      phase: "asked",
      round: 0,
      rounds: input.rounds,
      announces: input.announces ? 1 : 0,
      reply: null,
      reply_status: null,
      created_at: now,
      over_at: null,
    };
    await db.insertInto("exchanges").values(row).execute();
    await openChain(context, input.chain, { sessionKey: input.from, route: input.route });
    await insertInput(context, {
      key: `send:${input.runId}`,
      sessionKey: input.to,
      payload: {
        kind: "inter_session",
        text: input.message,
        from: input.from,
        fromChannel: input.fromChannel,
        stage: { kind: "message" },
        chain: input.chain,
      },
      provenance: { kind: "inter_session", from: input.from, agentId: agentOf(input.from), runId: input.runId },
      route: null,
      rights: input.rights,
      runId: input.runId,
      callId: input.callId,
      cause: `run ${input.runId}`,
    });
    const pair = { watcher: input.from, target: input.to };
    if (input.watch === true) await watch(context, { ...pair, version: target.state_version });
    if (input.watch === false) await unwatch(context, pair);
    return exchangeFromRow(row);
  },
);
