import { callLines } from "../../agent/turn/answer.ts";
import type { ToolCall } from "../../agent/turn/loop.ts";
import type { OpenTurnOutput, TurnEvent, TurnOutput } from "../../agent/turn/ports.ts";
import type { ReactionPlace, TurnProgress } from "../../channel/capabilities.ts";
import type { Route } from "../../core/delivery/delivery.ts";
import { section } from "../../core/instrument.ts";
import type { InboundEvent } from "../../core/message/inbound-event.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import type { Run } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { Turn } from "../../core/session/turn.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { createStreamSanitiser, type StreamSanitiser } from "../../core/text/stream-sanitiser.ts";
import type { Timers } from "../../core/time.ts";
import { type DeliveryAccounts, type DeliveryEvent, type Pacer, pacedConversation } from "../../delivery/pacing.ts";
import { createPreview, startTyping } from "../../delivery/preview.ts";
import { openDeliveriesOfTurn } from "../../store/reads/delivery/deliveries.ts";
import { turnInputs } from "../../store/reads/inbound/inbox.ts";
import { openSpawns, runOfChild } from "../../store/reads/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import type { Accounts } from "../accounts/accounts.ts";

export interface Progress {
  onTurn(event: TurnEvent): void;
  /** Sub-agents that were stopped from outside, possibly while no turn of theirs was running. */
  ended(sessions: readonly SessionKey[]): void;
  /** An account can show things now: what works already, perhaps since before this process (FC-335). */
  ready(account: Pick<Route, "channel" | "accountId">): Promise<void>;
}

/** Tells platforms that can show it which tools run in a conversation and what its sub-agents do. Only for looking at. */
export function createProgress(deps: {
  readonly accounts: Accounts;
  readonly store: Store;
  readonly log: Logger;
}): Progress {
  const current = new Map<string, TurnProgress>();
  const show = (progress: TurnProgress): void => {
    const { channel, accountId } = progress.route;
    if (progress.state === "ended") current.delete(progress.sessionKey);
    else current.set(progress.sessionKey, progress);
    deps.accounts.get(channel, accountId)?.adapter()?.capabilities.progress?.show(progress);
  };

  function showOwn(route: Route, turn: Turn, state: TurnProgress["state"], lines: readonly string[]): void {
    show({ route, sessionKey: turn.sessionKey, state, lines });
  }

  /** A sub-agent is shown where it was spawned from, for as long as its run lasts. */
  async function showChild(sessionKey: SessionKey, tool: string | null): Promise<void> {
    try {
      const run = await deps.store.read(runOfChild, sessionKey);
      if (run === null || run.route === null) return;
      const state = stateOf(run);
      const name = run.label ?? run.taskName ?? "sub-agent";
      const doing = state === "waiting" ? "waiting" : (tool ?? "working");
      show({ route: run.route, sessionKey, state, lines: state === "ended" ? [] : [`${name}: ${doing}`] });
    } catch (error) {
      deps.log.debug({ err: error }, "progress could not be shown");
    }
  }

  return {
    onTurn: (event) => {
      const { turn } = event;
      const { route } = turn.source;
      const tool = event.type === "tool_begun" ? event.tool : null;
      if (turnTask(turn.sessionKey) === "child-turn") {
        if (event.type !== "step") void showChild(turn.sessionKey, tool);
      } else if (route !== null && event.type !== "step") {
        showOwn(route, turn, event.type === "turn_ended" ? "ended" : "running", tool === null ? [] : [tool]);
      }
    },
    ended: (sessions) => {
      for (const session of sessions) if (turnTask(session) === "child-turn") void showChild(session, null);
    },
    ready: async ({ channel, accountId }) => {
      const known = [...current.values()];
      for (const one of known) if (one.route.channel === channel && one.route.accountId === accountId) show(one);
      try {
        const open = await deps.store.read(openSpawns, null);
        for (const key of open) if (!current.has(key)) await showChild(key, null);
      } catch (error) {
        deps.log.debug({ err: error }, "progress could not be shown");
      }
    },
  };
}

function stateOf(run: Run): TurnProgress["state"] {
  switch (run.state) {
    case "queued":
    case "waiting":
      return "waiting";
    case "running":
      return "running";
    case "ended":
      return "ended";
  }
}

export interface TurnOutputDeps {
  readonly store: Store;
  readonly accounts: DeliveryAccounts;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

const NO_OUTPUT: TurnOutput = { text: () => undefined, tool: () => undefined, finish: () => Promise.resolve() };

/** Typing and previews of turns whose answer goes to a platform (TN-10, TN-11); for the others nothing. */
export function createTurnOutput(deps: TurnOutputDeps): OpenTurnOutput {
  return ({ turn, settings, session }) => {
    const { route, replyTo } = turn.source;
    const account = route === null ? null : deps.accounts.find(route.channel, route.accountId);
    if (route === null || account === null) return NO_OUTPUT;
    const own = settings.accounts.find(
      (known) => known.channel === route.channel && known.accountId === route.accountId,
    );
    const typing = startTyping({ ...deps, account, route });
    const preview =
      own?.streaming === "off"
        ? null
        : createPreview({
            ...deps,
            account,
            route,
            fence: { turnId: turn.id, fence: turn.fence },
            sessionKey: turn.sessionKey,
            runId: turn.runId,
            replyTo,
            replyToMode: own?.replyToMode ?? "off",
          });
    const stream = createDeltaSanitiser();
    const calls: ToolCall[] = [];
    let above: string | null = null;
    let visible = "";
    return {
      text: (text) => {
        visible = stream(text);
        preview?.update(visible, above);
      },
      tool: (call) => {
        if (!session.verbose) return;
        calls.push(call);
        above = callLines(calls, settings.secrets);
        preview?.update(visible, above);
      },
      finish: async () => {
        typing.stop();
        await preview?.finish();
      },
    };
  };
}

/** Turns growing whole texts into pushes; a text that does not continue the last one is another attempt or step. */
function createDeltaSanitiser(): (text: string) => string {
  let seen = "";
  let stream: StreamSanitiser = createStreamSanitiser();
  return (text) => {
    if (!text.startsWith(seen)) {
      seen = "";
      stream = createStreamSanitiser();
    }
    const delta = text.slice(seen.length);
    seen = text;
    return section("sanitise a stream", () => stream.push(delta));
  };
}

/** The reaction that says a message is being worked on (CH-8). Nothing waits for it, and its failures never matter. */
export interface Acknowledge {
  /** The message became an input. */
  accepted(event: InboundEvent, account: AccountSettings): void;
  onTurn(event: TurnEvent): void;
  onDelivery(event: DeliveryEvent): void;
}

export function createAcknowledge(deps: {
  readonly store: Store;
  readonly accounts: DeliveryAccounts;
  /** Some account reacts, as the configuration is now: otherwise nothing is looked up when a turn ends. */
  readonly anyReacts: () => boolean;
  readonly account: (of: Pick<AccountSettings, "channel" | "accountId">) => AccountSettings | undefined;
  readonly pacer: Pacer;
  readonly log: Logger;
}): Acknowledge {
  const { store, pacer, log } = deps;
  /** A removal goes out after its reaction. */
  const underWay = new Map<string, Promise<void>>();
  /** Turns that ended while their answer is on its way, with what is taken away when it stands. */
  const answering = new Map<string, readonly ReactionPlace[]>();

  const noted = (error: unknown): void => log.debug({ err: error }, "an acknowledging reaction could not be changed");

  function change(what: "put" | "remove", place: ReactionPlace, emoji: string): void {
    const { route, messageId } = place;
    const account = deps.accounts.find(route.channel, route.accountId);
    const reactions = account?.adapter.capabilities.reactions;
    if (account === null || reactions === undefined || !account.ready) return;
    // It yields to messages where tokens are scarce (DL-5); what was added is removed in any case.
    if (what === "put" && !pacer.tryTake(pacedConversation(account, route), "typing")) return;
    const key = `${route.channel}/${route.accountId}/${route.to}/${messageId}`;
    const before = underWay.get(key) ?? Promise.resolve();
    const done = before
      .then(() => reactions[what](place, emoji))
      .catch(noted)
      .finally(() => {
        if (underWay.get(key) === done) underWay.delete(key);
      });
    underWay.set(key, done);
  }

  function removeAll(places: readonly ReactionPlace[]): void {
    for (const place of places) {
      const emoji = deps.account(place.route)?.ackReaction ?? null;
      if (emoji !== null) change("remove", place, emoji);
    }
  }

  async function turnEnded(turnId: string): Promise<void> {
    const places = (await store.read(turnInputs, turnId)).flatMap(({ payload, route }) =>
      payload.kind === "event" && route !== null ? [{ route, messageId: payload.messageId }] : [],
    );
    if (!places.some(({ route }) => (deps.account(route)?.ackReaction ?? null) !== null)) return;
    answering.set(turnId, places);
    await lookAt(turnId);
  }

  async function lookAt(turnId: string): Promise<void> {
    const places = answering.get(turnId);
    if (places === undefined || (await store.read(openDeliveriesOfTurn, turnId)) > 0) return;
    answering.delete(turnId);
    removeAll(places);
  }

  return {
    accepted(event, { ackReaction }) {
      if (ackReaction === null || event.kind !== "message") return;
      change("put", { route: event.route, messageId: event.identity.messageId }, ackReaction);
    },
    onTurn(event) {
      if (event.type === "turn_ended" && deps.anyReacts()) turnEnded(event.turn.id).catch(noted);
    },
    onDelivery(event) {
      if (event.type !== "settled" || event.delivery.turnId === null) return;
      if (answering.has(event.delivery.turnId)) lookAt(event.delivery.turnId).catch(noted);
    },
  };
}
