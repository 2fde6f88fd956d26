import { randomUUID } from "node:crypto";
import { executeCall } from "../../../src/agent/turn/work.ts";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { InboxPayload } from "../../../src/core/message/inbox-item.ts";
import type { MessagePart, NewMessage, Provenance } from "../../../src/core/message/transcript.ts";
import { OPERATOR_RIGHTS, type Rights } from "../../../src/core/session/rights.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { agentOf, asSessionKey, type SessionKey } from "../../../src/core/session/session-key.ts";
import type { Turn, TurnOutcome } from "../../../src/core/session/turn.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { createLocalTime, systemTimers } from "../../../src/core/time.ts";
import { createCompose, createThreads, type Threads } from "../../../src/delivery/way-out.ts";
import { sessionModel } from "../../../src/sessions/context-window.ts";
import { createLiveTurns, type LiveTurns } from "../../../src/sessions/live-turns.ts";
import { createReplySignal, type ReplySignal } from "../../../src/sessions/reply-signal.ts";
import { insertInput } from "../../../src/store/parts/inputs.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import { insertMessages } from "../../../src/store/parts/transcript.ts";
import { findVisible } from "../../../src/store/reads/sessions/targets.ts";
import { beginTurn } from "../../../src/store/steps/turns/begin-turn.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { defineStep, type Store } from "../../../src/store/store.ts";
import { createEffectiveTools } from "../../../src/tools/policy.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import type { OwnTools, ToolContext } from "../../../src/tools/tool.ts";
import type { FakeClock } from "../../support/fake-clock.ts";
import { asStored } from "../../support/present-access.ts";
import { testSettings } from "../../support/test-settings.ts";
import { silentLog, type TestStore } from "../../support/test-store.ts";

const localTime = createLocalTime();
export const USER: Rights = {
  role: "user",
  sender: { channel: "discord", accountId: "default", id: "7" },
  group: null,
};
export const ROUTE: Route = { channel: "discord", accountId: "default", to: "c1", threadId: null };

export function key(text: string): SessionKey {
  const parsed = asSessionKey(text);
  if (parsed === null) throw new Error(`not a key: ${text}`);
  return parsed;
}

interface NewTestSession {
  readonly key: SessionKey;
  readonly spawnedBy?: SessionKey;
  readonly depth?: number;
  readonly label?: string;
  readonly route?: Route | null;
}

const makeSession = defineStep("test-session", "normal", async (context, input: NewTestSession) => {
  await ensureSession(context, {
    key: input.key,
    agentId: agentOf(input.key),
    channel: input.route?.channel ?? null,
    originRoute: input.route ?? null,
    label: input.label ?? null,
    depth: input.depth ?? 0,
    ...(input.spawnedBy === undefined ? {} : { spawnedBy: input.spawnedBy }),
  });
});

const archive = defineStep("test-archive", "normal", async ({ db, now }, sessionKey: SessionKey) => {
  await db.updateTable("sessions").set({ archived_at: now }).where("key", "=", sessionKey).execute();
});

const setContext = defineStep(
  "test-context",
  "normal",
  async ({ db }, input: { readonly key: SessionKey; readonly tokens: number }) => {
    await db.updateTable("sessions").set({ context_tokens: input.tokens }).where("key", "=", input.key).execute();
  },
);

const write = defineStep(
  "test-write",
  "normal",
  async (context, input: { readonly session: Session; readonly messages: readonly NewMessage[] }) => {
    const { sessionId, key: sessionKey } = input.session;
    return insertMessages(context, { sessionId, sessionKey, turnId: null }, input.messages);
  },
);

const wake = defineStep(
  "test-input",
  "normal",
  async (
    context,
    input: { readonly key: SessionKey; readonly rights: Rights; readonly route: Route | null },
  ): Promise<void> => {
    const payload: InboxPayload = { kind: "notice", text: "begin", wakes: true };
    await insertInput(context, {
      key: `test:${randomUUID()}`,
      sessionKey: input.key,
      payload,
      provenance: { kind: "system", source: "test" },
      route: input.route,
      rights: input.rights,
      cause: null,
    });
  },
);

/** One session's turn, whose tools the test calls. */
export interface Caller {
  readonly turn: Turn;
  readonly session: Session;
  /** Calls a tool as the model would; `id` makes a replay of the same call. */
  call(
    name: string,
    args: JsonObject,
    options?: { readonly id?: string; readonly signal?: AbortSignal },
  ): Promise<Result>;
  end(outcome: TurnOutcome, text: string | null): Promise<void>;
}

export interface Result {
  readonly result: { readonly [name: string]: Json };
  readonly stored: boolean;
  readonly ends: unknown;
}

/** A real store with sessions, transcripts and turns, and every tool called the way the turn runner calls it. */
export class ToolScene {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly settings: Settings;
  readonly liveTurns: LiveTurns = createLiveTurns();
  threads: Threads = createThreads({ find: () => null }, systemTimers);
  readonly replies: ReplySignal = createReplySignal();
  /** How often a tool gave its slot back. */
  released = 0;

  constructor({ store, clock }: TestStore, settings: Settings = testSettings()) {
    this.store = store;
    this.clock = clock;
    this.settings = settings;
  }

  async session(text: string, options: Omit<NewTestSession, "key"> = {}): Promise<Session> {
    await this.store.step(makeSession, { key: key(text), ...options });
    return this.read(text);
  }

  async read(text: string): Promise<Session> {
    const own = key(text);
    const found = await this.store.read(findVisible, { scope: { own, lineage: false, agents: [] }, key: own });
    if (found === null) throw new Error(`no session ${text}`);
    return found;
  }

  setContextTokens(text: string, tokens: number): Promise<void> {
    return this.store.step(setContext, { key: key(text), tokens });
  }

  archive(text: string): Promise<void> {
    return this.store.step(archive, key(text));
  }

  /** Writes messages into a session's transcript; returns the last sequence. */
  async write(text: string, messages: readonly NewMessage[]): Promise<number> {
    return this.store.step(write, { session: await this.read(text), messages });
  }

  /** Opens a turn of a session: what the test's tools are called from. */
  async turn(text: string, options: { readonly rights?: Rights; readonly route?: Route | null } = {}): Promise<Caller> {
    const sessionKey = key(text);
    await this.store.step(wake, {
      key: sessionKey,
      rights: options.rights ?? OPERATOR_RIGHTS,
      route: options.route ?? null,
    });
    return this.next(text);
  }

  /** Begins the turn that a session's waiting inputs ask for. */
  async next(text: string): Promise<Caller> {
    const caller = await this.nextIfAny(text);
    if (caller === null) throw new Error(`nothing waits for ${text}`);
    return caller;
  }

  async nextIfAny(text: string): Promise<Caller | null> {
    const begun = await this.store.step(beginTurn, {
      sessionKey: key(text),
      turnId: randomUUID(),
      policy: () => ({ mode: () => "steer", signature: () => "", presentAccess: asStored, quietMs: 500 }),
      chains: this.settings.session.chains,
      toMessage: (item) => user(JSON.stringify(item.payload), item.provenance),
    });
    if (begun.result === "nothing" || begun.result === "later") return null;
    return this.#caller(begun.turn, begun.session);
  }

  #ownTools(session: Session, rights: Rights): OwnTools {
    const agent = this.settings.agents.get(session.agentId);
    if (agent === undefined) throw new Error("no agent");
    const model = sessionModel(this.settings, agent, session);
    const decided = createEffectiveTools(() => [])({ settings: this.settings, agent, session, rights, model });
    return { tools: decided.tools.map(({ name }) => name), removedTools: decided.removed };
  }

  #caller(turn: Turn, session: Session): Caller {
    return {
      turn,
      session,
      call: async (name, args, options = {}) => {
        const modelCallId = options.id ?? randomUUID();
        const context: ToolContext = {
          store: this.store,
          settings: this.settings,
          session,
          turn,
          callId: `${turn.id}/${modelCallId}`,
          modelCallId,
          adjusted: [],
          services: {
            liveTurns: this.liveTurns,
            threads: this.threads,
            compose: createCompose({
              renderer: () => null,
              storeFile: async ({ name, mime, bytes }) => ({ name, mime, bytes: bytes.length, sha256: "0" }),
              people: async () => [],
            }),
            replies: this.replies,
            version: "1.2.3",
            ownTools: (now) => this.#ownTools(now, turn.source.rights),
          },
          slot: {
            released: (wait) => {
              this.released += 1;
              return wait();
            },
          },
          signal: options.signal ?? new AbortController().signal,
          timeText: (at) => localTime.minute(at, this.settings.agents.get(session.agentId)?.userTimezone ?? "UTC"),
          clock: this.clock,
          ids: { uuid: randomUUID },
          log: silentLog,
        };
        const end = await executeCall({ callId: modelCallId, name, args }, TOOLS, context);
        const [part] = end.message.parts;
        if (part?.type !== "tool_result") throw new Error("no result");
        return { result: part.result as JsonObject, stored: end.stored, ends: end.ends };
      },
      end: async (outcome, text) => {
        await this.store.step(endTurn, {
          turnId: turn.id,
          fence: turn.fence,
          outcome,
          error: outcome === "error" ? "it failed" : null,
          message: null,
          deliveries: [],
          text,
          yielded: null,
          failure: null,
          archiveAfterMs: null,
        });
      },
    };
  }
}

export function user(text: string, provenance: Provenance = { kind: "system", source: "test" }): NewMessage {
  return { role: "user", parts: [{ type: "text", text }], provenance, usage: null };
}

export function assistant(text: string, ...more: readonly MessagePart[]): NewMessage {
  const parts: MessagePart[] = [{ type: "text", text }, ...more];
  return {
    role: "assistant",
    parts,
    provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
    usage: null,
  };
}
