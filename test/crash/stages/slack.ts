import { threadTexts } from "../../../src/core/texts/platforms/accounts.ts";
import type { App, Person } from "../../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { type FaultKind, type FaultMethod, RESPONSE_URL } from "../../support/emulators/slack/faults.ts";
import type { MethodName } from "../../support/emulators/slack/method-names.ts";
import type { Interaction } from "../../support/emulators/slack/person-interactions.ts";
import type { SlackMessage } from "../../support/emulators/slack/records.ts";
import { startTestBridge } from "../../support/test-bridge.ts";
import { type Breaks, HELD_MS, type Sending, type Trouble } from "../breaks.ts";
import { named, OPENING, type Place, SETTINGS, type Stage, type StageOptions } from "../stage.ts";

/** All others change what people see. */
const NO_SEND =
  /^(apps|auth|bots|conversations|team|users|assistant\.threads)\.|^files\.(info|getUploadURLExternal)$|^chat\.getPermalink$/;
/** The platform's minutes, shortened: an event that met no program comes again until there is one. */
const RETRIES_MS = [50, 400, 600, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export async function startSlack(options: StageOptions): Promise<Stage> {
  const sl = await startSlackEmulator({ retryDelaysMs: RETRIES_MS });
  const app = sl.app({ name: "Switchyard" });
  const owner = sl.user({ name: "owner" });
  const account = {
    botToken: app.botToken,
    appToken: app.appToken,
    apiUrl: sl.apiUrl,
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    ...options.account,
    pacing: false,
  };
  const bridge = await startTestBridge({
    ...options,
    telegram: false,
    config: { ...SETTINGS, commands: { ownerAllowFrom: [`slack:${owner.id}`] }, channels: { slack: account } },
  });
  const isSend = (method: MethodName): boolean => !NO_SEND.test(method);
  return {
    bridge,
    place: async (kind, mark) =>
      kind === "dm" ? dmPlace(sl.user({ name: `person_${mark}` }), app) : roomPlace({ sl, app, owner }, mark),
    watch: (sends) => {
      sl.onArrived((method) => {
        if (isSend(method)) return sends?.arrives(method, () => void sl.fails({ kind: "cutAfter" }, { method }));
      });
      sl.onAccepted((method) => {
        if (isSend(method)) return sends?.accepted(method);
      });
      if (sends === null) sl.heals();
    },
    breaks: breaksOf(sl, app),
    ready: () => app.connected(),
    [Symbol.asyncDispose]: async () => {
      await bridge[Symbol.asyncDispose]();
      await sl.stop();
    },
  };
}

const METHOD: Readonly<Record<Exclude<Sending, "any">, FaultMethod>> = {
  message: "chat.postMessage",
  edit: "chat.update",
  file: "files.completeUploadExternal",
  thread: "chat.postMessage",
  reaction: "reactions.add",
  native: "chat.postMessage",
  private: RESPONSE_URL,
};

const TROUBLE: Readonly<Record<Trouble, FaultKind>> = {
  "429": { kind: "429", retryAfter: 1 },
  "5xx": { kind: "5xx" },
  cut: { kind: "cutAfter" },
  gone: { kind: "refusal", error: "channel_not_found" },
  held: { kind: "slow", ms: HELD_MS, carriedOutFirst: false },
  "held after": { kind: "slow", ms: HELD_MS },
};

function breaksOf(sl: SlackEmulator, app: App): Breaks {
  return {
    fails: (to, what, { sending, after, times }) => {
      const method = sending === "any" ? {} : { method: METHOD[sending] };
      const fault = sl.fails(TROUBLE[what], { ...method, channel: to, after, times });
      return { hits: () => fault.hits, off: fault.off };
    },
    platform: { goes: () => sl.stop(), returns: () => sl.start() },
    line: { goes: async () => app.record.sockets.disable(), returns: () => app.record.sockets.enable() },
  };
}

function dmPlace(person: Person, app: App): Place {
  const dm = person.dm(app);
  return {
    to: dm.id,
    sigil: "!",
    says: async (text) => void dm.says(text),
    saysInThread: () => Promise.reject(new Error(threadTexts.sharedInDirect)),
    uses: async (command) => acknowledged(person.slash(`/switchyard ${command}`, dm)),
    answers: async () => [...byBot(dm.messages()), ...dm.ephemerals().map(({ text }) => text)],
  };
}

interface Room {
  readonly sl: SlackEmulator;
  readonly app: App;
  readonly owner: Person;
}

/** A mention is answered in its thread; a thread of the agent's begins with its opening line. */
function roomPlace({ sl, app, owner }: Room, mark: string): Place {
  const channel = sl.channel(`room-${mark}`, { members: [owner, app] });
  const opened = (): readonly SlackMessage[] => channel.messages().filter((message) => isOpening(message));
  return {
    to: channel.id,
    sigil: "!",
    says: async (text) => void channel.from(owner).says(text, { mention: app }),
    saysInThread: async (text) => {
      const [root] = opened();
      if (root === undefined) throw new Error(`${mark}: there is no thread`);
      channel.thread(root).from(owner).says(text);
    },
    uses: async (command) => acknowledged(owner.slash(`/switchyard ${command}`, channel)),
    answers: async () => [
      ...channel.messages().flatMap((root) => {
        const texts = byBot(channel.thread(root).messages());
        return isOpening(root) ? texts.map((text) => `thread: ${text}`) : texts;
      }),
      ...channel.ephemerals().map(({ text }) => text),
    ],
  };
}

async function acknowledged({ outcome }: Interaction): Promise<void> {
  const { kind } = await outcome;
  if (kind !== "acknowledged") throw new Error(`the command was not taken: ${kind}`);
}

function isOpening(message: SlackMessage): boolean {
  return message.bot_id !== undefined && named(message.text) === OPENING;
}

function byBot(messages: readonly SlackMessage[]): readonly string[] {
  return messages.filter((message) => message.bot_id !== undefined).map((message) => named(message.text));
}
