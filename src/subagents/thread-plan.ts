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
import { durationText } from "../core/time.ts";
import type { Threads } from "../delivery/way-out.ts";

/** How long a platform may take to say whether a thread can be made. */
const ASK_MS = 10_000;

export interface ThreadDeps {
  readonly settings: Settings;
  readonly threads: Threads;
  readonly log: Logger;
}

export interface ThreadRequest {
  /** Where it is made from; null: the turn answers nowhere. */
  readonly route: Route | null;
  /** What people call what works there. */
  readonly name: string;
  readonly agentId: AgentId;
  readonly anchorMessageId: string | null;
  /** A person asked, who has no modes to choose from: told in other words. */
  readonly byPerson: boolean;
}

export type ThreadPlan = BindingLimits & { readonly content: ThreadContent };

/** What the configuration says of bound threads on the account of a route (TB-4). */
export function threadSettingsOf(settings: Settings, route: Route | null): ThreadBindingSettings {
  const account = settings.accounts.find(
    (known) => known.channel === route?.channel && known.accountId === route.accountId,
  );
  return account?.threadBindings ?? settings.session.threadBindings;
}

/**
 * Decides, before anything is stored, that a thread can be made and how it begins (TB-1, TB-2). Throws ToolError with the
 * one sentence of TB-1 where it cannot; why is in the log.
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

/** A label is what somebody wrote: it stands as text and can never be read as formatting. */
function openingLine({ name, agentId }: ThreadRequest, limits: BindingLimits): readonly MdInline[] {
  const steer = "Write here to talk with it; /stop ends what it does, /unfocus releases this thread.";
  return [
    { type: "strong", children: [{ type: "text", text: plainTitle(name) }] },
    { type: "text", text: ` (agent ${agentId}). ${steer} ${lifeText(limits)}` },
  ];
}

/** When a binding ends, for people. */
export function lifeText({ idleMs, maxAgeMs }: BindingLimits): string {
  const limits = [
    idleMs === 0 ? "" : `after ${durationText(idleMs)} without a message`,
    maxAgeMs === 0 ? "" : `after ${durationText(maxAgeMs)} in any case`,
  ].filter((text) => text !== "");
  return limits.length === 0 ? "It stays until it is released." : `It is released ${limits.join(", and ")}.`;
}

function plainTitle(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function unavailable(reason: string, { byPerson }: ThreadRequest): ToolError {
  return new ToolError(byPerson ? spawnTexts.noThreadHere : NO_THREADS_HERE, { hint: reason });
}
