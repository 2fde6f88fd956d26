/**
 * What others feel of an account in trouble: how long people elsewhere wait for an answer (another account of the same platform,
 * the other platforms, the chat page) while twenty chats of one account talk, once with a healthy account and once with one whose
 * platform never answers, answers after 5 s, refuses for ten minutes, or has lost the conversations. Both kinds of block take turns
 * in one run, so that what the machine does meanwhile hits both; the ratio is what counts. Prints a table and one JSON line.
 *
 *   node bench/isolation.ts [--pairs 12] [--messages 4] [--platform telegram,discord,slack]
 *
 * Everything runs in this process but the program; the model answers at 0 ms.
 */
import { parseArgs } from "node:util";
import { answerTo, type Ground, startGround } from "../test/isolation/ground.ts";
import { type Chat, PLATFORMS, type PlatformName, type Side, type Trouble } from "../test/isolation/sides.ts";
import { percentile } from "./process-usage.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "12" },
    messages: { type: "string", default: "4" },
    platform: { type: "string", default: PLATFORMS.join(",") },
  },
});
const PAIRS = Number(values.pairs);
const MESSAGES = Number(values.messages);
const AIM = 1.5;
const CHATS = 20;
const BETWEEN_MS = 100;
const WITHIN_MS = 60_000;

interface Disturbance {
  readonly name: string;
  readonly trouble: Trouble;
  /** Whose chats talk while there is trouble. */
  readonly side: (ground: Ground, platform: PlatformName) => Side;
  /** The whole account is in trouble; else only the conversations are. */
  readonly wholeAccount: boolean;
}

const DISTURBANCES: readonly Disturbance[] = [
  { name: "never answers", trouble: { what: "hangs" }, side: (g, p) => g.on(p).hung, wholeAccount: true },
  {
    name: "answers after 5 s",
    trouble: { what: "slow", ms: 5_000 },
    side: (g, p) => g.on(p).streams,
    wholeAccount: true,
  },
  {
    name: "refuses for ten minutes",
    trouble: { what: "limited", wholeBot: true },
    side: (g, p) => g.on(p).refused,
    wholeAccount: true,
  },
  { name: "conversations gone", trouble: { what: "gone" }, side: (g, p) => g.on(p).calm, wholeAccount: false },
];

type Observer = (word: string) => Promise<number>;

function observersOf(ground: Ground, platform: PlatformName): readonly Observer[] {
  const chats = [ground.on(platform), ...ground.others(platform)].map(({ calm }) => calm.chat());
  const { operator } = ground.bridge.web;
  const timed = async (act: () => Promise<unknown>): Promise<number> => {
    const asked = performance.now();
    await act();
    return performance.now() - asked;
  };
  return [
    ...chats.map(
      (chat) => (word: string) =>
        timed(() => {
          chat.says(`say ${word}`);
          return chat.hears(answerTo(word), WITHIN_MS);
        }),
    ),
    (word) =>
      timed(async () => {
        await operator.says(`say ${word}`);
        await operator.hears(answerTo(word), { within: WITHIN_MS });
      }),
  ];
}

/** Every observer asks so many times, one question after the other, while the crowd talks. */
async function block(observers: readonly Observer[], crowd: readonly Chat[], mark: string): Promise<readonly number[]> {
  let said = 0;
  const talking = setInterval(() => {
    crowd[said % crowd.length]?.says(`say ${mark}-crowd-${said}`);
    said += 1;
  }, BETWEEN_MS);
  const waits: number[] = [];
  try {
    for (let at = 0; at < MESSAGES; at += 1)
      for (const [who, ask] of observers.entries()) waits.push(await ask(`${mark}-${who}-${at}`));
  } finally {
    clearInterval(talking);
  }
  return waits;
}

async function measure(ground: Ground, platform: PlatformName, disturbance: Disturbance) {
  const { trouble, side, wholeAccount } = disturbance;
  const observers = observersOf(ground, platform);
  const healthy = Array.from({ length: CHATS }, () => ground.on(platform).calm.chat());
  const troubled = Array.from({ length: CHATS }, () => side(ground, platform).chat());
  const struck = wholeAccount ? [side(ground, platform).struck(trouble)] : troubled.map((chat) => chat.struck(trouble));
  const mark = `${platform}-${DISTURBANCES.indexOf(disturbance)}`;
  await block(observers, healthy, `${mark}-warm`);
  const undisturbed: number[] = [];
  const disturbed: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    undisturbed.push(...(await block(observers, healthy, `${mark}-u${pair}`)));
    disturbed.push(...(await block(observers, troubled, `${mark}-d${pair}`)));
  }
  const hits = struck.reduce((sum, one) => sum + one.hits(), 0);
  if (hits === 0) throw new Error(`${platform}: nothing met the trouble "${disturbance.name}"`);
  for (const one of struck) one.off();
  const of = (share: number) => {
    const [before, after] = [percentile(undisturbed, share), percentile(disturbed, share)];
    return { undisturbedMs: before, disturbedMs: after, ratio: after / before };
  };
  return { platform, trouble: disturbance.name, p50: of(0.5), p95: of(0.95) };
}

const wanted = PLATFORMS.filter((name) => values.platform.split(",").includes(name));
await using ground = await startGround();
const results: Awaited<ReturnType<typeof measure>>[] = [];
process.stdout.write(
  "platform  trouble                  p50 without / with, ms   ratio   p95 without / with, ms   ratio\n",
);
for (const platform of wanted) {
  for (const disturbance of DISTURBANCES) {
    const result = await measure(ground, platform, disturbance);
    results.push(result);
    const cell = ({ undisturbedMs, disturbedMs, ratio }: typeof result.p50): string =>
      `${undisturbedMs.toFixed(1).padStart(11)} /${disturbedMs.toFixed(1).padStart(8)}  ${ratio.toFixed(2).padStart(8)}`;
    process.stdout.write(
      `${platform.padEnd(10)}${disturbance.name.padEnd(24)}${cell(result.p50)}   ${cell(result.p95)}\n`,
    );
  }
}
process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), results })}\n`);
if (results.some(({ p95 }) => p95.ratio > AIM)) process.exitCode = 1;
