import type { Suggestion, SuggestionKind } from "../channel/capabilities.ts";
import type { Route } from "../core/delivery/delivery.ts";
import { knownModels } from "../core/models.ts";
import type { Clock } from "../core/runtime.ts";
import { type Rights, roleAtLeast } from "../core/session/rights.ts";
import type { Session } from "../core/session/session.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import { createRedactor } from "../core/text/redact.ts";
import { previewOf } from "../sessions/history-view.ts";
import { liveThreads } from "../store/reads/runs/bindings.ts";
import { firstTexts, listSessions } from "../store/reads/sessions/list.ts";
import type { Store } from "../store/store.ts";
import { listRuns } from "../subagents/control.ts";
import { runState, runTitle } from "./agents/subagent-text.ts";

/** As many as any platform shows. */
const MOST = 25;
/** CM-2: a thread without messages for this long is not live, unless it is bound. */
const THREAD_LIVES_MS = 7 * 86_400_000;

export interface SuggestionFacts {
  readonly store: Store;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly sessionKey: SessionKey;
  readonly rights: Rights;
  /** Where it is asked. */
  readonly route: Route;
}

/** What an argument can be completed to (CM-12): only what the asker may see anyway, by the commands that list it. Best first. */
export async function suggestionsFor(
  kind: SuggestionKind,
  typed: string,
  facts: SuggestionFacts,
): Promise<readonly Suggestion[]> {
  switch (kind) {
    case "model":
      return matching(
        knownModels(facts.settings).map((name) => ({ label: name, value: name })),
        typed,
      );
    case "sub-agent":
      return matching(await runsHere(facts), typed);
    case "session":
      return roleAtLeast(facts.rights.role, "admin") ? sessions(typed, facts) : [];
    case "thread":
      return matching(await threadsHere(facts), typed);
  }
}

/** By name, or by their first words: everyone who can ask here can read those threads. */
async function threadsHere({ store, settings, clock, route }: SuggestionFacts): Promise<readonly Suggestion[]> {
  const activeSince = clock.now() - THREAD_LIVES_MS;
  const threads = await store.read(liveThreads, { place: route, activeSince, limit: MOST * 2 });
  const unnamed = threads.filter(({ session }) => nameOf(session) === null);
  const texts = await store.read(
    firstTexts,
    unnamed.map(({ session }) => session.sessionId),
  );
  const redact = createRedactor(settings.secrets);
  return threads.map(({ threadId, session }) => {
    const first = texts.get(session.sessionId);
    const words = first === undefined ? null : previewOf(first, redact);
    return { label: nameOf(session) ?? words ?? threadId, value: threadId };
  });
}

function nameOf({ displayName, label }: Session): string | null {
  return displayName ?? label;
}

async function runsHere({ store, clock, sessionKey }: SuggestionFacts): Promise<readonly Suggestion[]> {
  const listed = await listRuns(store, { root: sessionKey, now: clock.now() });
  const open = listed.filter(({ run }) => run.state !== "ended");
  return [...open, ...listed.filter((one) => !open.includes(one))].map(({ run }) => ({
    label: `${runTitle(run)} (${runState(run)})`,
    // A number would mean another run as soon as one more starts.
    value: run.id,
  }));
}

async function sessions(typed: string, { store, sessionKey }: SuggestionFacts): Promise<readonly Suggestion[]> {
  const found = await store.read(listSessions, {
    scope: { own: sessionKey, lineage: true, agents: "all" },
    kinds: null,
    label: null,
    agentId: null,
    search: typed === "" ? null : typed,
    activeSince: null,
    archived: "all",
    pinned: null,
    spawnedBy: null,
    behind: null,
    limit: MOST,
    offset: 0,
  });
  return found.map(({ session }) => {
    const name = nameOf(session);
    return { label: name === null ? session.key : `${name} (${session.key})`, value: session.key };
  });
}

function matching(all: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(wanted));
  const holds = all.filter((one) => !begins.includes(one) && one.label.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST);
}
