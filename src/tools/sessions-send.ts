import { z } from "zod";
import type { ToolResult } from "../core/errors.ts";
import { ToolError } from "../core/errors.ts";
import { modelRefText } from "../core/models.ts";
import { assertNever } from "../core/runtime.ts";
import { lowerRights, type Rights } from "../core/session/rights.ts";
import type { Exchange } from "../core/session/run.ts";
import { chainOf, isLoop, nextHop } from "../core/session/run.ts";
import type { Session } from "../core/session/session.ts";
import { threadParent } from "../core/session/session-key.ts";
import { sendTexts } from "../core/texts/agent/tools/sessions-send.ts";
import { sessionModel } from "../sessions/context-window.ts";
import { hidden, visibleParentKey } from "../sessions/resolve-target.ts";
import { sendDecision } from "../sessions/send-policy.ts";
import { exchangeOfCall, findExchange } from "../store/reads/runs/runs.ts";
import { ownRights, sessionByKey } from "../store/reads/sessions/targets.ts";
import { expireExchange } from "../store/steps/runs/expire-exchange.ts";
import { startExchange } from "../store/steps/runs/start-exchange.ts";
import { redactorOf, requiredTarget, sessionKeyInput } from "./session-target.ts";
import { refuseStopped } from "./stopped-chain.ts";
import { defineTool, type ToolContext, type ToolOutcome } from "./tool.ts";

const input = z.object({
  sessionKey: sessionKeyInput.optional(),
  label: z.string().optional().describe(sendTexts.label),
  agentId: z.string().optional().describe(sendTexts.agentId),
  message: z.string().trim().min(1),
  timeoutSeconds: z.number().min(0).max(600).default(30).describe(sendTexts.timeoutSeconds),
  watch: z.boolean().optional().describe(sendTexts.watch),
});

const output = z.object({
  status: z.enum(["accepted", "ok", "no_reply", "timeout", "error", "forbidden"]),
  runId: z.string().optional(),
  sessionKey: z.string().optional(),
  reply: z.string().optional(),
  error: z.string().optional(),
  note: z.string().optional(),
  hint: z.string().optional(),
  delivery: z.object({ mode: z.enum(["announce", "none"]), status: z.enum(["pending", "skipped"]) }).optional(),
  watched: z.boolean().optional(),
});

/** ST-20 … ST-27. */
export const sessionsSend = defineTool({
  name: "sessions_send",
  description: sendTexts.description,
  group: "sessions",
  profiles: ["messaging", "coding"],
  subagents: "none",
  input,
  output,
  otherNames: { synonyms: { timeout: "timeoutSeconds", text: "message", agent: "agentId" } },
  execute: async (args, context) => {
    // A call that is repeated after a crash has been sent already, even if its target no longer exists (TN-2).
    const sent = await context.store.read(exchangeOfCall, context.callId);
    if (sent !== null) return await outcome(sent, await context.store.read(sessionByKey, sent.to), args, context);
    const { session: target } = await requiredTarget(args, context);
    await refuseTarget(target, context);
    const { session, turn, settings, store } = context;
    refuseLoop(target, context);
    const agent = settings.agents.get(target.agentId);
    if (agent === undefined) throw new ToolError(sendTexts.unconfigured(target.key));
    const runId = context.ids.uuid();
    await refuseStopped(context);
    const chain = nextHop(chainOf(turn), { from: session.key, to: target.key });
    // The completion path owns what a parent and its sub-agent say to each other (ST-24).
    const isOwnChild = target.spawnedBy === session.key;
    const isUnattended = args.timeoutSeconds === 0 && ["cron", "hook"].includes(session.kind);
    const exchange = await store.step(startExchange, {
      runId,
      turnId: turn.id,
      callId: context.callId,
      from: session.key,
      fromChannel: session.lastRoute?.channel ?? session.channel,
      to: target.key,
      message: redactorOf(context)(args.message).text,
      waitMs: args.timeoutSeconds === 0 ? null : Math.round(args.timeoutSeconds * 1_000),
      route: turn.source.route,
      rights: lowerRights(turn.source.rights, (await store.read(ownRights, target.key)) ?? STRANGER),
      targetModel: modelRefText(sessionModel(settings, agent, target)),
      chain,
      rounds: isOwnChild || isUnattended ? 0 : Math.max(0, settings.session.maxPingPongTurns - chain.hop),
      announces: !isOwnChild && target.depth === 0,
      watch: args.watch,
    });
    if (exchange === null) throw hidden(args.sessionKey?.trim() || args.label?.trim() || target.key, context);
    return await outcome(exchange, target, args, context);
  },
});

async function outcome(
  exchange: Exchange,
  target: Session | null,
  args: z.output<typeof input>,
  context: ToolContext,
): Promise<ToolOutcome> {
  // A turn that waits holds no slot (TN-1), or two sessions that ask each other could block all others.
  const settled = exchange.deadline === null ? exchange : await context.slot.released(() => reply(exchange, context));
  const watched = args.watch === undefined ? {} : { watched: args.watch };
  return { result: { ...resultOf(settled, target, context), ...watched } };
}

/** An unused session has no rights to lend (TN-14). */
const STRANGER: Rights = { role: "user", sender: null, group: null };

/** ST-22, on the resolved session: a session id or label leads to no target that its key does not. */
async function refuseTarget(target: Session, context: ToolContext): Promise<void> {
  if (target.key === context.session.key) {
    throw new ToolError(sendTexts.itself, { status: "forbidden", hint: sendTexts.itselfHint });
  }
  const parent = threadParent(target.key);
  if (parent !== null) {
    const visible = await visibleParentKey(parent, context);
    throw new ToolError(sendTexts.thread, {
      status: "forbidden",
      hint: sendTexts.useParent(visible),
    });
  }
  if (target.archivedAt !== null) {
    throw new ToolError(sendTexts.archived(target.key), { status: "forbidden", hint: sendTexts.archivedHint });
  }
  if (sendDecision(context.settings.session.sendPolicy, target).action === "deny") {
    throw new ToolError(sendTexts.closed(target.key), {
      status: "forbidden",
      hint: sendTexts.closedHint,
    });
  }
}

/** ST-24, FC-022, FC-025: the ring is named as what it is, with its count. */
function refuseLoop(target: Session, { turn, settings }: ToolContext): void {
  const chain = chainOf(turn);
  const { maxPingPongTurns } = settings.session;
  if (!isLoop(chain, target.key, maxPingPongTurns)) return;
  throw new ToolError(sendTexts.loop(chain.hop + 1, maxPingPongTurns), {
    status: "forbidden",
    hint: sendTexts.loopHint,
  });
}

/**
 * Waits until the exchange is decided. The row decides and the signal only hurries, so a reply from another process or
 * after a restart is found too (ST-21).
 */
async function reply(exchange: Exchange, { store, services, clock, signal }: ToolContext): Promise<Exchange> {
  const { runId } = exchange;
  for (;;) {
    const looked = new AbortController();
    const remaining = (exchange.deadline ?? 0) - clock.now();
    // Listening begins before the look: a reply between the two would be missed otherwise.
    const told = services.replies.wait(runId, {
      maxMs: Math.max(0, remaining),
      signal: AbortSignal.any([signal, looked.signal]),
    });
    const now = (await store.read(findExchange, runId)) ?? exchange;
    if (now.state !== "waiting" || remaining <= 0) {
      looked.abort();
      await told;
      return now.state !== "waiting" ? now : ((await store.step(expireExchange, runId)) ?? now);
    }
    await told;
    signal.throwIfAborted();
  }
}

function resultOf(exchange: Exchange, target: Session | null, context: ToolContext): ToolResult {
  const announces = exchange.announces && exchange.phase !== "over" && target !== null && target.lastRoute !== null;
  const base = {
    runId: exchange.runId,
    sessionKey: exchange.to,
    delivery: announces ? { mode: "announce", status: "pending" } : { mode: "none", status: "skipped" },
  };
  if (exchange.deadline === null) return { status: "accepted", ...base, note: sendTexts.accepted };
  switch (exchange.state) {
    case "replied":
      return { ...base, ...replyPart(exchange, context) };
    case "waiting":
    case "expired":
    case "closed":
      return {
        status: "timeout",
        ...base,
        note: sendTexts.timeout,
      };
    default:
      return assertNever(exchange.state);
  }
}

function replyPart({ replyStatus, reply: text }: Exchange, context: ToolContext) {
  const shown = text === null ? "" : redactorOf(context)(text).text;
  switch (replyStatus) {
    case "ok":
      return { status: "ok", reply: shown };
    case "error":
      return { status: "error", error: shown === "" ? sendTexts.failed : shown };
    case "no_reply":
    case null:
      return { status: "no_reply" };
    default:
      return assertNever(replyStatus);
  }
}
