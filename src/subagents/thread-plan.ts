import type { Route } from "../core/delivery/delivery.ts";
import { MAX_THREAD_TITLE, type ThreadContent } from "../core/delivery/delivery.ts";
import { ToolError } from "../core/errors.ts";
import type { AgentId } from "../core/ids.ts";
import type { Logger } from "../core/runtime.ts";
import { type BindingLimits, NO_THREADS_HERE } from "../core/session/run.ts";
import type { Settings, ThreadBindingSettings } from "../core/settings.ts";
import { cutText } from "../core/text/cut.ts";
import type { MdInline } from "../core/text/markdown-tree.ts";
import { spawnTexts } from "../core/texts/agent/session-notices.ts";
import { linkedThreadTexts } from "../core/texts/commands/agents.ts";
import { durationText } from "../core/time.ts";
import type { Threads } from "../delivery/way-out.ts";

/** How long a platform may take to say whether a thread can be created. */
const ASK_MS = 10_000;

export interface ThreadDeps {
  readonly settings: Settings;
  readonly threads: Threads;
  readonly log: Logger;
}

export interface ThreadRequest {
  /** The conversation that asks for the thread; null: the turn replies nowhere. */
  readonly route: Route | null;
  /** The sub-agent's name for people. */
  readonly name: string;
  readonly agentId: AgentId;
  readonly anchorMessageId: string | null;
  /** A person asked. People have no modes to choose from, so the error is worded differently. */
  readonly byPerson: boolean;
}

export type ThreadPlan = BindingLimits & { readonly content: ThreadContent };

/** The settings for bound threads on a route's account (TB-4). */
export function threadSettingsOf(settings: Settings, route: Route | null): ThreadBindingSettings {
  const account = settings.accounts.find(
    (known) => known.channel === route?.channel && known.accountId === route.accountId,
  );
  return account?.threadBindings ?? settings.session.threadBindings;
}

/**
 * Decides, before anything is stored, whether a thread can be created, and its first line (TB-1, TB-2). Throws a ToolError
 * with the sentence of TB-1 if it cannot; the log has the reason.
 */
export async function planThread(request: ThreadRequest, { settings, threads, log }: ThreadDeps): Promise<ThreadPlan> {
  const { route, name, anchorMessageId } = request;
  const wanted = threadSettingsOf(settings, route);
  if (route === null) throw unavailable(spawnTexts.noConversation, request);
  if (!wanted.enabled) throw unavailable(spawnTexts.bindingsOff, request);
  const ability = await threads.ability(route, AbortSignal.timeout(ASK_MS));
  if (!ability.can) {
    log.info({ channel: route.channel, accountId: route.accountId, to: route.to, reason: ability.reason }, "no thread");
    throw unavailable(ability.reason, request);
  }
  const { idleMs, maxAgeMs } = wanted;
  return {
    idleMs,
    maxAgeMs,
    content: {
      kind: "thread",
      title: cutText(plainTitle(name), MAX_THREAD_TITLE).text,
      opening: threads.render(route, [{ type: "paragraph", children: openingLine(request, wanted) }]),
      anchorMessageId: route.threadId === null ? anchorMessageId : null,
      keepOpenMs: idleMs,
    },
  };
}

/** A label is untrusted: it is inserted as text and never read as formatting. */
function openingLine({ name, agentId }: ThreadRequest, limits: BindingLimits): readonly MdInline[] {
  return [
    { type: "strong", children: [{ type: "text", text: plainTitle(name) }] },
    { type: "text", text: linkedThreadTexts.opening(agentId, lifeText(limits)) },
  ];
}

/** When a binding expires, for people. */
export function lifeText({ idleMs, maxAgeMs }: BindingLimits): string {
  return linkedThreadTexts.life(
    idleMs === 0 ? null : durationText(idleMs),
    maxAgeMs === 0 ? null : durationText(maxAgeMs),
  );
}

function plainTitle(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function unavailable(reason: string, { byPerson }: ThreadRequest): ToolError {
  return new ToolError(byPerson ? spawnTexts.noThreadHere : NO_THREADS_HERE, { hint: reason });
}
