import type { Renderer } from "../channel/capabilities.ts";
import type { NewDelivery } from "../core/delivery/delivery.ts";
import { turnDeliveryKey } from "../core/delivery/delivery.ts";
import type { LocalTime } from "../core/local-time.ts";
import type { InboxItem } from "../core/message/inbox-item.ts";
import type { NewMessage, StoredAttachment } from "../core/message/transcript.ts";
import type { Clock } from "../core/runtime.ts";
import type { TurnOutcome } from "../core/session/turn.ts";
import { isSilent } from "../core/text/control-words.ts";
import { createRedactor } from "../core/text/redact.ts";
import { sanitise } from "../core/text/sanitise.ts";
import type { DeliveryAccounts } from "../delivery/adapters.ts";
import { PLAIN_RENDERER } from "../delivery/plain-renderer.ts";
import { answerDeliveries, prepareAnswer } from "../delivery/way-out.ts";
import type { EndTurnInput } from "../store/steps/turns/end-turn.ts";
import type { Store } from "../store/store.ts";
import { type FailureReason, failureDeliveries, failureSentence } from "./failure-notice.ts";
import type { TurnFrame } from "./turn-frame.ts";
import { turnReport } from "./turn-report.ts";

export interface AnswerPorts {
  readonly store: Pick<Store, "read">;
  readonly accounts: DeliveryAccounts;
  readonly clock: Clock;
  readonly localTime: Pick<LocalTime, "lastHour">;
  readonly storeFile: (file: { name: string; mime: string; bytes: Uint8Array }) => Promise<StoredAttachment>;
}

/** A turn that came to an end by itself: what people see of it, and what it means for those who wait. */
export async function answerEnd(
  frame: TurnFrame,
  end: { readonly message: NewMessage | null; readonly text: string; readonly yielded: EndTurnInput["yielded"] },
  ports: AnswerPorts,
): Promise<EndTurnInput> {
  const { turn, agent } = frame;
  const visible = sanitise(end.text).text.trim();
  const silent = visible === "" || isSilent(visible);
  const deliveries = silent ? [] : await answerTo(frame, end, ports);
  return {
    turnId: turn.id,
    fence: turn.fence,
    outcome: outcomeOf(end.yielded !== null, silent),
    error: null,
    message: end.message,
    deliveries,
    text: silent ? null : crossing(frame, visible),
    yielded: end.yielded,
    failure: null,
    archiveAfterMs: archiveAfter(agent.subagents.archiveAfterMs),
  };
}

/** What leaves the session for another one, a run's result or a reply, carries no secret (ST-7); the transcript keeps the words. */
function crossing({ session, turn, settings }: TurnFrame, text: string): string {
  const crosses = session.depth > 0 || turn.source.kind === "inter_session";
  return crosses ? createRedactor(settings.secrets)(text).text : text;
}

async function answerTo(
  frame: TurnFrame,
  { text, message }: { readonly text: string; readonly message: NewMessage | null },
  ports: AnswerPorts,
): Promise<readonly NewDelivery[]> {
  const { turn, settings, session } = frame;
  const { route, replyTo } = turn.source;
  if (route === null) return [];
  const account = settings.accounts.find(
    (known) => known.channel === route.channel && known.accountId === route.accountId,
  );
  const prepared = prepareAnswer({
    ...(await turnReport(frame, message, ports)),
    text,
    renderer: rendererFor({ turn }, ports),
    maxChunks: settings.delivery.maxChunks,
    reasoning: session.showReasoning && message !== null ? reasoningOf(message) : null,
  });
  return answerDeliveries(prepared, {
    route,
    keyAt: (position) => turnDeliveryKey(turn.id, position),
    replyTo,
    replyToMode: account?.replyToMode ?? "off",
    private: false,
    storeFile: ports.storeFile,
  });
}

/** A turn that failed: one plain sentence to the person, an entry for the operator (TN-5, TN-16); a completion's notice (CP-5). */
export function failureEnd(
  frame: Pick<TurnFrame, "turn"> & { readonly archiveAfterMs: number; readonly timeZone: string },
  failure: {
    readonly outcome: TurnOutcome;
    readonly reason: FailureReason;
    readonly detail: string;
    readonly items: readonly InboxItem[];
  },
  ports: AnswerPorts,
): EndTurnInput {
  const { turn } = frame;
  const { route, replyTo } = turn.source;
  // Nobody there waits for an announcement, so nobody is told that it failed (ST-25).
  const announces = failure.items.some(
    ({ payload }) => payload.kind === "inter_session" && payload.stage.kind === "announce",
  );
  const now = ports.clock.now();
  const day = ports.localTime.lastHour(now, frame.timeZone, 0);
  const place = route === null || announces ? null : { route, renderer: rendererFor(frame, ports), replyTo, now, day };
  return {
    turnId: turn.id,
    fence: turn.fence,
    outcome: failure.outcome,
    error: failureSentence(failure.reason),
    message: null,
    deliveries: place === null ? [] : failureDeliveries(failure.reason, failure.items, place),
    text: null,
    yielded: null,
    failure: {
      kind: "turn",
      subject: turn.id,
      sessionKey: turn.sessionKey,
      message: `${failure.reason}: ${failure.detail}`,
    },
    archiveAfterMs: archiveAfter(frame.archiveAfterMs),
  };
}

export function archiveAfter(ms: number): number | null {
  return ms === 0 ? null : ms;
}

function rendererFor({ turn }: Pick<TurnFrame, "turn">, { accounts }: AnswerPorts): Renderer {
  const { route } = turn.source;
  const account = route === null ? null : accounts.find(route.channel, route.accountId);
  return account?.adapter.renderer ?? PLAIN_RENDERER;
}

function outcomeOf(yielded: boolean, silent: boolean): TurnOutcome {
  if (yielded) return "yielded";
  return silent ? "silent" : "reply";
}

function reasoningOf(message: NewMessage): string {
  return message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n");
}
