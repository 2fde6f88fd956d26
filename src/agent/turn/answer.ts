import type { Renderer } from "../../channel/capabilities.ts";
import { type NewDelivery, turnDeliveryKey } from "../../core/delivery/delivery.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { NewMessage, TokenUsage } from "../../core/message/transcript.ts";
import { modelFacts, modelRefText, resolveModel } from "../../core/models.ts";
import type { Clock } from "../../core/runtime.ts";
import { costOfTokens } from "../../core/session/spending.ts";
import type { TurnOutcome } from "../../core/session/turn.ts";
import { isSilent } from "../../core/text/control-words.ts";
import { createRedactor } from "../../core/text/redact.ts";
import { sanitise } from "../../core/text/sanitise.ts";
import type { FailureReason } from "../../core/texts/chat/failures.ts";
import { reportTexts } from "../../core/texts/chat/notices.ts";
import { PLAIN_RENDERER } from "../../delivery/pacing.ts";
import { answerDeliveries, mentionable, prepareAnswer } from "../../delivery/way-out.ts";
import { peopleOf } from "../../store/reads/people/conversation-people.ts";
import { turnMessages } from "../../store/reads/turns/transcript.ts";
import type { EndTurnInput } from "../../store/steps/turns/end-turn.ts";
import type { Store } from "../../store/store.ts";
import { failureDeliveries, failureSentence } from "./failure.ts";
import { callsOf, type ToolCall } from "./loop.ts";
import type { AnswerPorts, TurnFrame } from "./ports.ts";

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
    outcome: endedAs(end.yielded !== null, silent),
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
    people: await mentionable(text, () => ports.store.read(peopleOf, route)),
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
  // No person waits for an announcement, so its failure is not reported there (ST-25).
  const announces = failure.items.some(
    ({ payload }) => payload.kind === "inter_session" && payload.stage.kind === "announce",
  );
  // Who waits for a chain that was stopped has been told once, where it began (ST-28).
  const isTold = announces || failure.reason === "chain_limit";
  const now = ports.clock.now();
  const day = ports.localTime.lastHour(now, frame.timeZone, 0);
  const cause = ownerReadsAlone(turn, failure.items) ? causeOf(failure) : null;
  const place =
    route === null || isTold ? null : { route, renderer: rendererFor(frame, ports), replyTo, now, day, cause };
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

/** In a group others read along; the page is the operator's own, whatever its channels are called (FC-334). */
function ownerReadsAlone({ source }: TurnFrame["turn"], items: readonly InboxItem[]): boolean {
  const asked = items.flatMap(({ payload }) => (payload.kind === "event" ? [payload] : []));
  if (source.rights.role !== "owner" || asked.length === 0) return false;
  return source.rights.group === null || asked.every(({ plain }) => plain);
}

/** What an exception says stays in the log: it may hold anything. */
function causeOf({ reason, detail }: { readonly reason: FailureReason; readonly detail: string }): string {
  // Behind the code, which only programs need.
  return reason.startsWith("model") ? detail.slice(detail.indexOf(": ") + 2) : "";
}

export function archiveAfter(ms: number): number | null {
  return ms === 0 ? null : ms;
}

function rendererFor({ turn }: Pick<TurnFrame, "turn">, { accounts }: AnswerPorts): Renderer {
  const { route } = turn.source;
  const account = route === null ? null : accounts.find(route.channel, route.accountId);
  return account?.adapter.renderer ?? PLAIN_RENDERER;
}

function endedAs(yielded: boolean, silent: boolean): TurnOutcome {
  if (yielded) return "yielded";
  return silent ? "silent" : "reply";
}

function reasoningOf(message: NewMessage): string {
  return message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n");
}

/** A call as one line; what it was given is cut there. */
const LONGEST_LINE = 120;
/** Of a turn with more calls the newest are named. */
const MOST_LINES = 12;

/** What a session shows of its turns beside the answer (CM-10), as Markdown; null: nothing. */
export interface TurnReport {
  readonly above: string | null;
  readonly below: string | null;
}

/** `/verbose`: the calls of a turn, one quoted line each, secrets redacted; null: none. */
export function callLines(calls: readonly ToolCall[], secrets: readonly string[]): string | null {
  if (calls.length === 0) return null;
  const redact = createRedactor(secrets);
  const earlier = calls.length - MOST_LINES;
  const lines = calls.slice(-MOST_LINES).map(({ name, args }) => {
    // Inside a code span it is neither markup nor a mention.
    const given = redact(JSON.stringify(args) ?? "").text.replaceAll("`", "'");
    return `> \`${shortened(given === "{}" ? name : `${name} ${given}`)}\``;
  });
  return [...(earlier > 0 ? [`> ${reportTexts.earlierCalls(earlier)}`] : []), ...lines].join("  \n");
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_LINE ? text : `${characters.slice(0, LONGEST_LINE - 1).join("")}…`;
}

/** What stands above and below the answer of a turn that ends with `message`; read from its stored steps, so that a restart in between loses nothing. */
export async function turnReport(
  { session, turn, settings, models }: TurnFrame,
  message: NewMessage | null,
  { store, clock }: { readonly store: Pick<Store, "read">; readonly clock: Clock },
): Promise<TurnReport> {
  if (!session.verbose && session.usageLine === "off") return { above: null, below: null };
  const stored = await store.read(turnMessages, { sessionId: turn.sessionId, turnId: turn.id });
  const steps = [...stored, ...(message === null ? [] : [message])].filter(({ role }) => role === "assistant");
  const calls = steps.flatMap(({ parts }) => callsOf(parts));
  const usages = steps.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  const above = session.verbose ? callLines(calls, settings.secrets) : null;
  if (session.usageLine === "off" || usages.length === 0) return { above, below: null };
  const total = usages.reduce((sum, usage) => ({
    input: sum.input + usage.input,
    output: sum.output + usage.output,
    cached: sum.cached + usage.cached,
  }));
  const counted = reportTexts.tokens(count(total.input), count(total.output));
  const tokens = usages.some(({ estimated }) => estimated === true) ? reportTexts.estimated(counted) : counted;
  if (session.usageLine === "tokens") return { above, below: `*${tokens}*` };
  const last = steps.at(-1);
  const named = last?.provenance.kind === "assistant" ? last.provenance.model : modelRefText(models[0] ?? NO_MODEL);
  const cost = costOf(steps, settings);
  const { contextTokens } = factsOf(named, settings);
  const context = usages.at(-1);
  const parts = [
    `\`${named}\``,
    total.cached > 0 ? reportTexts.cached(tokens, count(total.cached)) : tokens,
    ...(cost === null ? [] : [reportTexts.cost(cost.toFixed(4))]),
    ...(context === undefined ? [] : [share(context, contextTokens)]),
    reportTexts.steps(steps.length, seconds(clock.now() - turn.startedAt)),
  ];
  return { above, below: parts.map((part) => (part.startsWith("`") ? part : `*${part}*`)).join(" · ") };
}

const NO_MODEL = { provider: "none", model: "none" };

function factsOf(model: string, settings: TurnFrame["settings"]) {
  const resolved = resolveModel(settings, model);
  return modelFacts(settings.models, resolved.known ? resolved.ref : NO_MODEL);
}

/** Each step at the price of the model that made it; null: a price is missing, so the sum would be wrong. */
function costOf(
  steps: readonly Pick<NewMessage, "provenance" | "usage">[],
  settings: TurnFrame["settings"],
): number | null {
  let cost = 0;
  for (const { provenance, usage } of steps) {
    if (usage === null || provenance.kind !== "assistant") continue;
    const { price } = factsOf(provenance.model, settings);
    if (price === null) return null;
    cost += costOfTokens(usage, price);
  }
  return cost;
}

function share(usage: TokenUsage, window: number): string {
  const used = usage.input + usage.output;
  return reportTexts.context(count(used), count(window), Math.round((100 * used) / window));
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1_000).toFixed(1);
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
