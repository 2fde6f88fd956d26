import { expect, test } from "vitest";
import { createMetrics } from "../../../src/http/metrics.ts";

test("OP-8: every figure of the metric set is exposed with its labels", async () => {
  const metrics = createMetrics();
  const { instrument } = metrics;
  instrument.input({ kind: "event", channel: "web", result: "accepted" });
  instrument.turnEnded({ outcome: "reply", ms: 1200 });
  instrument.step({ model: "demo/x", result: "ok", ms: 10 });
  instrument.toolCall({ tool: "sessions_spawn", status: "ok", ms: 5 });
  instrument.tokens({ model: "demo/x", usage: { input: 7, output: 3, cached: 0 } });
  instrument.delivery({ channel: "web", state: "sent" });
  instrument.answered({ channel: "web", part: "first", ms: 300 });
  instrument.answered({ channel: "web", part: "final", ms: 900 });
  instrument.storeCall({ kind: "step", name: "accept-event", ms: 2 });
  metrics.loopDelay(250);
  metrics.attach({
    queueDepth: () => new Map([["turn", 4]]),
    oldestWaitingInputAt: async () => 1000,
    accounts: () => [
      {
        channel: "web",
        accountId: "default",
        health: {
          state: "ready",
          since: 0,
          lastInboundAt: null,
          lastOutboundAt: null,
          lastError: null,
          clockAheadMs: 0,
        },
      },
    ],
    now: () => 3500,
  });
  const text = await metrics.text();
  for (const line of [
    'switchyard_inputs_total{kind="event",channel="web",result="accepted"} 1',
    'switchyard_turn_seconds_count{outcome="reply"} 1',
    'switchyard_model_step_seconds_count{model="demo/x",result="ok"} 1',
    'switchyard_tool_call_seconds_count{tool="sessions_spawn",status="ok"} 1',
    'switchyard_tokens_total{model="demo/x",kind="input"} 7',
    'switchyard_deliveries_total{channel="web",state="sent"} 1',
    'switchyard_answer_seconds_sum{channel="web",part="first"} 0.3',
    'switchyard_answer_seconds_sum{channel="web",part="final"} 0.9',
    'switchyard_store_seconds_sum{kind="step",name="accept-event"} 0.002',
    'switchyard_queue_depth{task="turn"} 4',
    "switchyard_event_loop_delay_seconds_sum 0.25",
    "switchyard_oldest_waiting_input_seconds 2.5",
    'switchyard_account_state{channel="web",account="default",state="ready"} 1',
    'switchyard_account_state{channel="web",account="default",state="failed"} 0',
  ]) {
    expect(text).toContain(line);
  }
});

test("OP-8: two servers in one process share no figures", async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.instrument.delivery({ channel: "web", state: "sent" });
  expect(await other.text()).not.toContain('state="sent"');
});
