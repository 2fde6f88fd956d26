import { channels } from "../../../adapters/index.ts";
import type { Tree } from "../../../config/load/faults.ts";
import { describeContext } from "../../../src/agent/prompt.ts";
import { createDispatch, type Dispatch, type DispatchDeps } from "../../../src/commands/dispatch.ts";
import { senderFolder } from "../../../src/commands/people/pairing.ts";
import { COMMANDS, commandNames, workStarters } from "../../../src/commands/registry.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { createLocalTime, systemTimers } from "../../../src/core/time.ts";
import { createThreads } from "../../../src/delivery/way-out.ts";
import { createPresentAccess } from "../../../src/routing/present-access.ts";
import type { LiveTurns } from "../../../src/sessions/live-turns.ts";
import { createLiveTurns } from "../../../src/sessions/live-turns.ts";
import { sessionByKey } from "../../../src/store/reads/sessions/targets.ts";
import { deliveryFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
import { createEffectiveTools } from "../../../src/tools/policy.ts";
import type { EventSketch } from "../../support/inbound.ts";
import { silentLog, type TestStore } from "../../support/test-store.ts";
import { annKey, Door, group } from "../bridge/door.ts";

/** Ann (111) owns it, Bob (222) may write; the group lets both in and needs a mention. */
export const deskConfig: Tree = {
  commands: { ownerAllowFrom: ["telegram:111"] },
  agents: { defaults: { model: "demo/switchyard" }, entries: { main: { default: true, name: "Main" } } },
  channels: {
    telegram: { botToken: "9:test-token", allowFrom: ["111", "222"], groups: { "-100555": { requireMention: true } } },
  },
};

export const bob = { id: "222", name: "Bob" };
export const bobKey = "agent:main:telegram:direct:222";

export interface Answer {
  readonly text: string;
  readonly private: boolean;
  readonly to: string;
}

const everyAnswer = defineRead("every-answer", async (db, after: number) =>
  (await db.selectFrom("deliveries").selectAll().where("id", ">", after).orderBy("id").execute()).map(deliveryFromRow),
);

/** The real way in, the real registry and the real dispatcher over a real store: what people type, and what they are answered. */
export class Desk {
  readonly door: Door;
  readonly test: TestStore;
  readonly liveTurns: LiveTurns = createLiveTurns();
  readonly dispatch: Dispatch;
  #messages = 0;
  #seen = 0;

  constructor(test: TestStore, config: Tree = {}, deps: Partial<DispatchDeps> = {}) {
    this.test = test;
    this.door = new Door(
      test,
      { ...deskConfig, ...config },
      { commandNames: commandNames(COMMANDS), startsWork: workStarters(COMMANDS) },
    );
    const { clock, store } = test;
    const settings = () => this.door.settings;
    this.dispatch = createDispatch({
      store,
      clock,
      ids: { uuid: () => crypto.randomUUID() },
      log: silentLog,
      settings,
      liveTurns: this.liveTurns,
      threads: createThreads({ find: () => null }, systemTimers),
      version: "1.2.3",
      startedAt: clock.now(),
      health: () => new Map(),
      effectiveTools: createEffectiveTools(() => []),
      work: { enqueue: (task, key) => void this.door.work.push(`${task} ${key}`) },
      compact: async () => ({ result: "nothing" }),
      configFile: null,
      process: { restart: () => undefined, restarting: () => false, faults: async () => [] },
      presentAccess: createPresentAccess({
        settings,
        door: (channel) => channels.find((one) => one.channel === channel) ?? { access: "policies", places: null },
      }),
      foldSender: senderFolder(channels),
      channels,
      describeContext: (key, rights) =>
        describeContext(key, rights, {
          store,
          settings,
          clock,
          localTime: createLocalTime(),
          effectiveTools: createEffectiveTools(() => []),
        }),
      commands: COMMANDS,
      renderer: () => null,
      storeFile: async ({ name, mime, bytes }) => ({ name, mime, bytes: bytes.length, sha256: "0" }),
      ...deps,
    });
  }

  /** Ann writes to the bot directly, unless the sketch says otherwise; nothing is carried out yet. */
  async write(text: string, sketch: EventSketch = {}): Promise<string> {
    this.#messages += 1;
    const result = await this.door.offer({ messageId: String(this.#messages), text, ...sketch });
    return result.result;
  }

  /** Carries out what waits in a session, and returns what was answered since the last look. */
  async answers(key: string = annKey): Promise<readonly Answer[]> {
    const { signal } = new AbortController();
    for (const handle of [this.dispatch.handle, this.dispatch.handleLong])
      await handle(key, { released: (wait) => wait() }, signal);
    const rows = await this.test.store.read(everyAnswer, this.#seen);
    this.#seen = rows.at(-1)?.id ?? this.#seen;
    return rows.map(({ content, route }) => {
      if (content.kind !== "message") throw new Error(`not a message: ${content.kind}`);
      return { text: content.piece.plain, private: content.private, to: route.to };
    });
  }

  /** Writes and gives the one answer's text; fails when there is none or more. */
  async ask(text: string, sketch: EventSketch = {}, key: string = annKey): Promise<string> {
    const result = await this.write(text, sketch);
    if (result !== "command") throw new Error(`"${text}" became ${result}`);
    const answers = await this.answers(key);
    const [answer] = answers;
    if (answer === undefined || answers.length !== 1) throw new Error(`${answers.length} answers to "${text}"`);
    return answer.text;
  }

  async session(key: string = annKey) {
    const session = await this.test.store.read(sessionByKey, key as SessionKey);
    if (session === null) throw new Error(`no session ${key}`);
    return session;
  }
}

/** A message in the group that addresses the bot. */
export const inGroup = (sender?: EventSketch["sender"]): EventSketch => ({
  peer: group,
  route: { channel: "telegram", accountId: "default", to: group.id, threadId: null },
  ...(sender === undefined ? {} : { sender }),
});
