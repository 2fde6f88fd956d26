/**
 * What a message costs: a bare grammY bot and Switchyard, one after the other in one run, against the same two emulators in
 * processes of their own. Prints a table and one JSON line.
 *
 *   node bench/bridge.ts [--rounds 40] [--sequential 300]
 *
 * Pacing (DL-5) is off; the model answers at 0 ms; Switchyard keeps everything on disk as always.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { PlaceArgs } from "../test/support/emulators/telegram/control.ts";
import { type RemoteTelegram, startRemoteTelegram } from "../test/support/emulators/telegram/remote.ts";
import { startModel } from "./model.ts";
import { cpuMs, percentile, rssMb } from "./process-usage.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "40" }, sequential: { type: "string", default: "300" } },
});
const ROUNDS = Number(values.rounds);
const SEQUENTIAL = Number(values.sequential);
const CHATS = 50;

interface Figures {
  readonly coldStartMs: number;
  readonly idleRssMb: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly perSecond: number;
  readonly cpuMsPerMessage: number;
  readonly busyRssMb: number;
}

interface Candidate {
  readonly name: string;
  start(bot: { readonly token: string; readonly apiRoot: string; readonly modelUrl: string }): Promise<ChildProcess>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));

const bare: Candidate = {
  name: "bare grammY bot",
  start: async ({ token, apiRoot, modelUrl }) =>
    spawn(process.execPath, [here("bare-bot.ts")], {
      env: { PATH: process.env.PATH ?? "", BOT_TOKEN: token, API_ROOT: apiRoot, MODEL_URL: modelUrl },
      stdio: ["ignore", "ignore", "inherit"],
    }),
};

const switchyard: Candidate = {
  name: "Switchyard",
  start: async ({ token, apiRoot, modelUrl }) => {
    const config = join(folder, "switchyard.json5");
    const telegram = { botToken: token, apiRoot, dmPolicy: "open", allowFrom: ["*"], pacing: false };
    await writeFile(
      config,
      JSON.stringify({
        models: { providers: { bench: { type: "openai-compatible", baseUrl: modelUrl, apiKey: "none" } } },
        agents: { defaults: { model: "bench/bench" }, entries: { main: { default: true, instructions: "Be brief." } } },
        channels: { web: { enabled: true }, telegram },
        limits: { perSender: { perMinute: 1_000_000 } },
      }),
    );
    return spawn(process.execPath, ["--max-semi-space-size=4", here("../src/main.js"), "start", "--config", config], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, SWITCHYARD_PORT: "0" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  },
};

async function measure(candidate: Candidate, tg: RemoteTelegram, modelUrl: string): Promise<Figures> {
  const bot = await tg.do("bot", { username: `${candidate.name.replace(/\W/g, "_")}_bot` });
  const users = await Promise.all(Array.from({ length: CHATS }, (_, i) => tg.do("user", { name: `User ${i}` })));
  const places: PlaceArgs[] = users.map((user) => ({ bot: bot.id, user: user.id }));
  const startedAt = performance.now();
  const child = await candidate.start({ token: bot.token, apiRoot: tg.url, modelUrl });
  const pid = child.pid ?? 0;
  try {
    while (!(await tg.do("pending", { bot: bot.id })).polled) await sleep(2);
    const coldStartMs = performance.now() - startedAt;
    await sleep(3_000);
    const idleRssMb = rssMb(pid);
    const one = places.slice(0, 1);
    await tg.do("closedLoop", { places: one, rounds: 30, text: "warm up" });
    const sequential = await tg.do("closedLoop", { places: one, rounds: SEQUENTIAL });
    await tg.do("closedLoop", { places, rounds: 4, text: "warm up" });
    const cpuBefore = cpuMs(pid);
    const burst = await tg.do("closedLoop", { places, rounds: ROUNDS });
    const cpu = cpuMs(pid) - cpuBefore;
    return {
      coldStartMs,
      idleRssMb,
      p50Ms: percentile(sequential.latencies, 0.5),
      p95Ms: percentile(sequential.latencies, 0.95),
      perSecond: (burst.messages * 1000) / burst.ms,
      cpuMsPerMessage: cpu / burst.messages,
      busyRssMb: rssMb(pid),
    };
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

const LIMITS: readonly { readonly figure: keyof Figures; readonly label: string; readonly aim: string }[] = [
  { figure: "coldStartMs", label: "cold start to first getUpdates, ms", aim: "≤ 1000" },
  { figure: "idleRssMb", label: "idle RSS, MB", aim: "≤ 130" },
  { figure: "p50Ms", label: "update to reply p50, ms", aim: "≤ 10 and ≤ 3×" },
  { figure: "p95Ms", label: "update to reply p95, ms", aim: "" },
  { figure: "perSecond", label: `messages/s, ${CHATS} chats`, aim: "≥ 150 and ≥ 0.6×" },
  { figure: "cpuMsPerMessage", label: "CPU per message in the burst, ms", aim: "≤ 6" },
  { figure: "busyRssMb", label: "RSS after the burst, MB", aim: "" },
];

const tg = await startRemoteTelegram({ keepCalls: 100 });
const model = await startModel();
try {
  const reference = await measure(bare, tg, model.url);
  const ours = await measure(switchyard, tg, model.url);
  process.stdout.write(`${"".padEnd(38)}${bare.name.padStart(16)}${switchyard.name.padStart(12)}   ratio   aim\n`);
  for (const { figure, label, aim } of LIMITS) {
    const [a, b] = [reference[figure], ours[figure]];
    process.stdout.write(
      `${label.padEnd(38)}${a.toFixed(1).padStart(16)}${b.toFixed(1).padStart(12)}${(b / a).toFixed(2).padStart(8)}   ${aim}\n`,
    );
  }
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), reference, ours })}\n`);
} finally {
  model.child.kill("SIGTERM");
  await tg.close();
  await rm(folder, { recursive: true, force: true });
}
