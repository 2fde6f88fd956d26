import type { NewMessage, TokenUsage } from "../core/message/transcript.ts";
import { modelRefText } from "../core/model.ts";
import { modelFacts } from "../core/model-facts.ts";
import { resolveModel } from "../core/model-names.ts";
import type { Clock } from "../core/runtime.ts";
import { createRedactor } from "../core/text/redact.ts";
import { turnMessages } from "../store/reads/turns/transcript.ts";
import type { Store } from "../store/store.ts";
import { callsOf, type ToolCall } from "./loop.ts";
import type { TurnFrame } from "./turn-frame.ts";

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
    // Inside a code span nothing of it is markup, and nobody is mentioned.
    const given = redact(JSON.stringify(args) ?? "").text.replaceAll("`", "'");
    return `> \`${shortened(given === "{}" ? name : `${name} ${given}`)}\``;
  });
  return [...(earlier > 0 ? [`> ${earlier} earlier calls`] : []), ...lines].join("  \n");
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
  const tokens = `${count(total.input)} tokens in, ${count(total.output)} out`;
  if (session.usageLine === "tokens") return { above, below: `*${tokens}*` };
  const last = steps.at(-1);
  const named = last?.provenance.kind === "assistant" ? last.provenance.model : modelRefText(models[0] ?? NO_MODEL);
  const cost = costOf(steps, settings);
  const { contextTokens } = factsOf(named, settings);
  const context = usages.at(-1);
  const parts = [
    `\`${named}\``,
    `${tokens}${total.cached > 0 ? `, ${count(total.cached)} cached` : ""}`,
    ...(cost === null ? [] : [`cost ${cost.toFixed(4)}`]),
    ...(context === undefined ? [] : [`context ${share(context, contextTokens)}`]),
    `${steps.length} ${steps.length === 1 ? "step" : "steps"} in ${seconds(clock.now() - turn.startedAt)}`,
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
    cost += (usage.input * price.input + usage.output * price.output) / 1_000_000;
  }
  return cost;
}

function share(usage: TokenUsage, window: number): string {
  const used = usage.input + usage.output;
  return `${count(used)} of ${count(window)} (${Math.round((100 * used) / window)} %)`;
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
