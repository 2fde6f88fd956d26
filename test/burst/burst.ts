import { setTimeout as sleep } from "node:timers/promises";
import { rssMb } from "../../bench/process-usage.ts";
import { movingWork } from "../crash/store-view.ts";
import { answer, delay, lastText, startModelEmulator, text } from "../support/emulators/model/index.ts";
import { type SwitchyardProcess, startSwitchyardProcess } from "../support/switchyard-process.ts";
import { accountFor, type Fate } from "./account-for.ts";
import { type Crowd, discordCrowd, slackCrowd, telegramCrowd, type Writer } from "./crowds.ts";

export interface BurstOptions {
  /** How many messages, over the platforms in equal parts. */
  readonly messages: number;
  /** Default: all three. */
  readonly platforms?: readonly Crowd["channel"][];
  /** More arguments for node. */
  readonly nodeArgs?: readonly string[];
  /** Laid over `messages.queue`. */
  readonly queue?: object;
  /** False: the program does not pace what it sends (DL-5), and the platforms have no limits. */
  readonly pacing?: boolean;
  /** `limits.perSender.perMinute`, and how much each person in a crowd says. Default 20, as it comes. */
  readonly perMinute?: number;
  /** How long the model thinks before it answers. Default 0. */
  readonly modelMs?: number;
}

export interface BurstFigures {
  readonly messages: number;
  /** Messages whose turn has an answer people can read, and how many answers that were. */
  readonly answered: number;
  readonly answers: number;
  /** Shortened into the notice of a turn (TN-3). */
  readonly merged: number;
  /** By the stored reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly unaccounted: number;
  readonly why: readonly string[];
  /** Resident memory of the program when it was warm, and at most while it had the burst. */
  readonly rssBeforeMb: number;
  readonly rssPeakMb: number;
  /** The longest that the metrics said a message was waiting for its turn. */
  readonly oldestWaitingSeconds: number;
  /** From the first message to the last answer. */
  readonly seconds: number;
}

const CROWDS = { telegram: telegramCrowd, discord: discordCrowd, slack: slackCrowd };
export const PLATFORMS = ["telegram", "discord", "slack"] as const;
/** Shares of a platform's messages: many chats, one room of many, one person who does not stop. */
const CHATS = 0.6;
const ROOM = 0.25;
const LOOK_MS = 200;
const WITHOUT_PROGRESS_MS = 120_000;

/**
 * Lets a burst loose on the whole program as a child process, between emulated platforms with their limits on, everything at its
 * defaults, and accounts for every message by its platform id when nothing moves any more.
 */
export async function runBurst({
  messages,
  platforms = PLATFORMS,
  nodeArgs = [],
  queue = {},
  pacing = true,
  modelMs = 0,
  perMinute = 20,
}: BurstOptions): Promise<BurstFigures> {
  const crowds = await Promise.all(platforms.map((name) => CROWDS[name]({ limits: pacing })));
  const model = await startModelEmulator({
    keepRequests: false,
    script: (request) => answer(delay(modelMs), text(`Read: ${lastText(request, "user").slice(-40)}`)),
  });
  const program = await startSwitchyardProcess({
    // As `npm start` does.
    nodeArgs: ["--max-semi-space-size=4", ...nodeArgs],
    config: {
      models: { providers: { emulated: { type: "openai-compatible", baseUrl: model.url, apiKey: "none" } } },
      agents: {
        defaults: { model: "emulated/small" },
        entries: { main: { default: true, instructions: "Be brief." } },
      },
      messages: { queue },
      limits: { perSender: { perMinute } },
      channels: Object.fromEntries(
        crowds.map(({ channel, config }) => [channel, { ...config, ...(pacing ? {} : { pacing }) }]),
      ),
    },
  });
  try {
    await Promise.all(crowds.map((crowd) => crowd.ready()));
    await warmUp(crowds, program);
    return await measured(crowds, program, { messages, each: perMinute });
  } finally {
    await program.kill();
    await Promise.all([...crowds.map((crowd) => crowd.stop()), model.close()]);
    await program.remove();
  }
}

interface Size {
  readonly messages: number;
  /** What everybody says but the one who does not stop. */
  readonly each: number;
}

/** One answer on each platform, so that what is loaded and compiled once is not counted as growth. */
async function warmUp(crowds: readonly Crowd[], program: SwitchyardProcess): Promise<void> {
  for (const crowd of crowds) crowd.person().says("are you there?");
  await quiet(program, () => crowds.every((crowd) => crowd.written().size > 0));
}

async function measured(crowds: readonly Crowd[], program: SwitchyardProcess, size: Size): Promise<BurstFigures> {
  const watch = watchProgram(program);
  const startedAt = performance.now();
  const said: string[] = [];
  try {
    for (const [at, writer] of script(crowds, size).entries()) {
      said.push(writer.says(`number ${at}`));
      // The platforms live in this process: what they hand over must get out while the next is said.
      if (at % 50 === 49) await sleep(0);
    }
    await Promise.race([quiet(program, () => true), ended(program)]);
  } finally {
    await watch.stop();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const written = new Map(crowds.map((crowd) => [crowd.channel, crowd.written()]));
  const fates = [...accountFor(program.folder, said, written).entries()];
  return { messages: said.length, ...counted(fates), ...watch.figures(), seconds };
}

/** Whose turn it is to write, message by message: everybody in turns, so that all conversations fill at once. */
function script(crowds: readonly Crowd[], { messages, each }: Size): readonly Writer[] {
  const share = Math.ceil(messages / crowds.length);
  const lines = crowds.flatMap((crowd) => {
    const chats = Math.max(1, Math.round((share * CHATS) / each));
    const people = Math.min(100, Math.max(2, Math.round((share * ROOM) / each)));
    const rest = Math.max(0, share - (chats + people) * each);
    return [
      ...Array.from({ length: chats }, () => ({ writer: crowd.person(), left: each })),
      ...crowd.room(people).map((writer) => ({ writer, left: each })),
      { writer: crowd.person(), left: rest },
    ];
  });
  const order: Writer[] = [];
  while (order.length < messages) {
    const before = order.length;
    for (const line of lines) {
      if (line.left === 0 || order.length === messages) continue;
      line.left -= 1;
      order.push(line.writer);
    }
    if (order.length === before) break;
  }
  return order;
}

/** Resolves when everything that came in has been carried out and everything that goes out is out. */
async function quiet(program: SwitchyardProcess, also: () => boolean): Promise<void> {
  let last = "";
  for (let since = performance.now(), calm = 0; calm < 3; ) {
    await sleep(LOOK_MS);
    const work = movingWork(program.folder);
    const seen = `${JSON.stringify(work)} ${program.logs.length}`;
    calm = seen === last && also() && Object.values(work).every((count) => count === 0) ? calm + 1 : 0;
    if (seen !== last) since = performance.now();
    if (performance.now() - since > WITHOUT_PROGRESS_MS) throw new Error(`nothing moves any more: ${seen}`);
    last = seen;
  }
}

async function ended(program: SwitchyardProcess): Promise<never> {
  const code = await program.exited;
  throw new Error(`the program ended (${code}) under the burst`);
}

function counted(fates: readonly (readonly [string, Fate])[]) {
  const refused: Record<string, number> = {};
  const turns = new Set<string>();
  const why: string[] = [];
  const count = { answered: 0, merged: 0, unaccounted: 0 };
  for (const [name, fate] of fates) {
    switch (fate.fate) {
      case "answered":
        turns.add(fate.turn);
        count.answered += 1;
        break;
      case "merged":
        count.merged += 1;
        break;
      case "refused":
        refused[fate.rule] = (refused[fate.rule] ?? 0) + 1;
        break;
      case "unaccounted":
        count.unaccounted += 1;
        why.push(`${name}: ${fate.why}`);
        break;
    }
  }
  return { ...count, answers: turns.size, refused, why: why.slice(0, 10) };
}

/** 0 also when the program is too busy to say. */
async function oldestWaiting(url: string): Promise<number> {
  try {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^switchyard_oldest_waiting_input_seconds (\S+)$/m.exec(text)?.[1] ?? 0);
  } catch (error) {
    if (error instanceof TypeError) return 0;
    throw error;
  }
}

/** Samples what the operator could see: memory, and the metric of the oldest input that waits. */
function watchProgram(program: SwitchyardProcess) {
  const rssBeforeMb = rssMb(program.pid);
  let rssPeakMb = rssBeforeMb;
  let oldestWaitingSeconds = 0;
  let stopped = false;
  const look = async (): Promise<void> => {
    while (!stopped) {
      rssPeakMb = Math.max(rssPeakMb, rssMb(program.pid));
      oldestWaitingSeconds = Math.max(oldestWaitingSeconds, await oldestWaiting(program.url));
      await sleep(LOOK_MS);
    }
  };
  const looking = look();
  return {
    stop: async () => {
      stopped = true;
      await looking;
    },
    figures: () => ({ rssBeforeMb, rssPeakMb, oldestWaitingSeconds }),
  };
}
