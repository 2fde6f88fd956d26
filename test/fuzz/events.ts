import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { random } from "../concurrency/random.ts";
import { answer, type ChatRequest, messageText, startModelEmulator, text } from "../support/emulators/model/index.ts";
import { type SwitchyardProcess, startSwitchyardProcess } from "../support/switchyard-process.ts";
import type { Arena } from "./arena.ts";
import { discordArena } from "./discord-arena.ts";
import { mutated } from "./mutate.ts";
import { slackArena } from "./slack-arena.ts";
import { telegramArena } from "./telegram-arena.ts";

export interface EventFuzz {
  readonly platform: "discord" | "slack" | "telegram";
  readonly seed: number;
  /** How many mutated events, from which on (to show one chunk again; default 0). */
  readonly events: number;
  readonly from?: number;
}

export interface EventFuzzReport {
  readonly events: number;
  readonly seconds: number;
  /** Each with the seed and number that shows it again. */
  readonly deaths: readonly string[];
  /** Conversations in which a plain message was not answered after mutated events. */
  readonly muted: readonly string[];
  /** Blocks of the event loop over 200 ms in which this process computed for as long. */
  readonly blocks: readonly string[];
  /** Resident memory in megabytes: after the first tenth, and at the end. */
  readonly memoryMb: readonly [number, number];
}

const ARENAS = { discord: discordArena, slack: slackArena, telegram: telegramArena } as const;
/** Mutated events between two plain messages that must be answered. */
const CHUNK = 100;
/** Muted is a conversation whose answer has not come when the program has been idle this long, however slow the machine is. */
const IDLE_MS = 20_000;
/** And one that the program is busy with for this long. */
const LONGEST_MS = 300_000;
const BLOCKED = "the event loop was blocked";
const STILL = /still here (\d+)/g;

/**
 * Sends mutated events of a platform to the running program, and after each chunk a plain message in the same conversations:
 * whatever came before, it is answered. A death is recorded, the program started again, and the run goes on.
 */
export async function fuzzEvents({ platform, seed, events, from = 0 }: EventFuzz): Promise<EventFuzzReport> {
  const arena = await ARENAS[platform]();
  const model = await startModelEmulator({ script: (request) => answer(text(heard(request))), keepRequests: false });
  const config = configFor(arena, model.url);
  const startedAt = performance.now();
  const deaths: string[] = [];
  const muted: string[] = [];
  const blocks: string[] = [];
  let program = await startSwitchyardProcess({ config });
  let firstMemory = 0;
  try {
    await arena.ready();
    for (let at = from; at < from + events; at += CHUNK) {
      const chance = random("events", platform, seed, at);
      for (let one = at; one < Math.min(at + CHUNK, from + events); one += 1) {
        const shape = chance.pick(arena.shapes);
        if (shape !== undefined) arena.inject(mutated(arena.numbered(shape.value, one), platform, seed, one));
      }
      arena.says(`still here ${at}`);
      const outcome = await Promise.race([answered(arena, at, program), program.exited.then(() => "died" as const)]);
      const where = `--only ${platform} --seed ${seed} --from ${at} --events ${CHUNK}`;
      if (outcome === "muted") muted.push(`${where}: ${lastTrouble(program)}`);
      if (outcome === "died") deaths.push(`${where}: ${lastWords(program)}`);
      if (outcome !== "answered") {
        await program.kill();
        blocks.push(...blocksIn(program));
        await program.remove();
        program = await startSwitchyardProcess({ config });
        await arena.ready();
      }
      if (firstMemory === 0 && at >= from + events / 10) firstMemory = await memoryOf(program);
    }
    blocks.push(...blocksIn(program));
    const memoryMb = [firstMemory, await memoryOf(program)] as const;
    const seconds = (performance.now() - startedAt) / 1000;
    return { events, seconds, deaths, muted, blocks, memoryMb };
  } finally {
    await program.kill();
    await Promise.all([arena.stop(), model.close()]);
    await program.remove();
  }
}

/** The newest numbers that people said since the model's last words. */
function heard(request: ChatRequest): string {
  const since = request.messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const said = request.messages.slice(since).map(messageText).join("\n");
  const numbers = [...said.matchAll(STILL)].map((match) => match[1]);
  return numbers.length === 0 ? "noted" : `heard ${numbers.join(" and ")}.`;
}

async function answered(arena: Arena, number: number, program: SwitchyardProcess): Promise<"answered" | "muted"> {
  const wanted = new RegExp(`\\bheard (?:\\d+ and )*${number}\\b`);
  const done = (): number => program.logs.filter(({ msg }) => msg !== BLOCKED).length;
  const startedAt = performance.now();
  let [steps, since] = [done(), startedAt];
  while (performance.now() - since < IDLE_MS && performance.now() - startedAt < LONGEST_MS) {
    // Once in the direct chat, once in the channel.
    if (arena.shown().filter((said) => wanted.test(said)).length >= 2) return "answered";
    await sleep(20);
    const now = done();
    if (now !== steps) [steps, since] = [now, performance.now()];
  }
  return "muted";
}

function blocksIn(program: SwitchyardProcess): string[] {
  return program.logs
    .filter(({ msg, cpuMs }) => msg === BLOCKED && Number(cpuMs) > 200)
    .map(({ delayMs, cpuMs, ran }) => JSON.stringify({ delayMs, cpuMs, ran }));
}

function lastWords(program: SwitchyardProcess): string {
  const last = program.logs.findLast(({ level }) => level === "fatal" || level === "error");
  return program.stray.join("").slice(0, 1_200) || JSON.stringify(last ?? null);
}

function lastTrouble(program: SwitchyardProcess): string {
  const trouble = program.logs.filter(({ level }) => level !== "info" && level !== "debug");
  return JSON.stringify(trouble.slice(-3)).slice(0, 2_000);
}

async function memoryOf(program: SwitchyardProcess): Promise<number> {
  const status = await readFile(`/proc/${program.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function configFor(arena: Arena, modelUrl: string): object {
  return {
    logging: { level: "info" },
    models: { providers: { fake: { type: "openai-compatible", baseUrl: modelUrl, apiKey: "none" } } },
    agents: { defaults: { model: "fake/m" } },
    limits: { perSender: { perMinute: 0 } },
    channels: { [arena.name]: arena.config },
  };
}
