/**
 * What all four channels cost at once: Switchyard with web, Telegram, Discord and Slack against the emulators and the model in
 * processes of their own. Cold start to the last account ready, idle memory, and the time from a message to its answer on
 * each platform, one after the other, with the model at 0 ms. Prints a table and one JSON line.
 *
 *   node bench/channels.ts [--sequential 200]
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRemoteDiscord } from "../test/support/emulators/discord/remote.ts";
import { startRemoteSlack } from "../test/support/emulators/slack/remote.ts";
import { startRemoteTelegram } from "../test/support/emulators/telegram/remote.ts";
import { startModel } from "./model.ts";
import { cpuMs, percentile, rssMb } from "./process-usage.ts";

const { values } = parseArgs({ options: { sequential: { type: "string", default: "200" } } });
const SEQUENTIAL = Number(values.sequential);
const ACCOUNTS = 4;

const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
const [telegram, discord, slack, model] = await Promise.all([
  startRemoteTelegram({ keepCalls: 100 }),
  startRemoteDiscord({}),
  startRemoteSlack({ keepCalls: 100 }),
  startModel(),
]);
const telegramBot = await telegram.do("bot", { username: "bench_bot" });
const discordBot = await discord.do("bot", { username: "bench", messageContent: true });
const slackApp = await slack.do("app", { name: "bench" });

/** Starts Switchyard; resolves when every account is ready. */
async function start() {
  const open = { dmPolicy: "open", allowFrom: ["*"], pacing: false };
  const config = {
    models: { providers: { bench: { type: "openai-compatible", baseUrl: model.url, apiKey: "none" } } },
    agents: { defaults: { model: "bench/bench" }, entries: { main: { default: true, instructions: "Be brief." } } },
    channels: {
      web: { enabled: true },
      telegram: { ...open, botToken: telegramBot.token, apiRoot: telegram.url },
      discord: { ...open, token: discordBot.token, apiUrl: discord.url },
      slack: { ...open, botToken: slackApp.botToken, appToken: slackApp.appToken, apiUrl: slack.url },
    },
    limits: { perSender: { perMinute: 1_000_000 } },
  };
  const file = join(folder, "switchyard.json5");
  await writeFile(file, JSON.stringify(config));
  const main = fileURLToPath(new URL("../src/main.js", import.meta.url));
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--max-semi-space-size=4", main, "start", "--config", file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, SWITCHYARD_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const ready = Promise.withResolvers<{ readonly coldStartMs: number; readonly coldStartCpuMs: number }>();
  let accounts = 0;
  lines.on("line", (line) => {
    if (line.includes('"account is ready"')) accounts += 1;
    if (accounts === ACCOUNTS) {
      ready.resolve({ coldStartMs: performance.now() - startedAt, coldStartCpuMs: cpuMs(child.pid ?? 0) });
    }
  });
  child.once("exit", () => ready.reject(new Error("Switchyard ended before its accounts were ready")));
  return { child, ...(await ready.promise) };
}

async function stop(child: Awaited<ReturnType<typeof start>>["child"]): Promise<void> {
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
}

const PLATFORMS = [
  {
    name: "Telegram",
    aim: "≤ 10",
    talk: async (rounds: number) => {
      const user = await telegram.do("user", { name: "Ann" });
      return telegram.do("closedLoop", { places: [{ bot: telegramBot.id, user: user.id }], rounds });
    },
  },
  {
    name: "Discord",
    aim: "≤ 15",
    talk: async (rounds: number) => {
      const user = await discord.do("user", { name: "Ann" });
      return discord.do("closedLoop", { places: [{ bot: discordBot.id, user: user.id }], rounds });
    },
  },
  {
    name: "Slack",
    aim: "≤ 15",
    talk: async (rounds: number) => {
      const user = await slack.do("user", { name: "Ann" });
      return slack.do("closedLoop", { places: [{ app: slackApp.id, user: user.id }], rounds });
    },
  },
];

try {
  // The first start compiles; what is measured finds compiled code, as every start after an update's first does.
  await stop((await start()).child);
  const { child, coldStartMs, coldStartCpuMs } = await start();
  await sleep(3_000);
  const idleMb = rssMb(child.pid ?? 0);
  const rows = [
    { what: "cold start to four accounts ready, ms", value: coldStartMs, aim: "≤ 2000" },
    { what: "the same, CPU ms", value: coldStartCpuMs, aim: "≤ 1800" },
    { what: "idle RSS, four channels, MB", value: idleMb, aim: "≤ 200" },
  ];
  for (const { name, aim, talk } of PLATFORMS) {
    await talk(30);
    const { latencies } = await talk(SEQUENTIAL);
    rows.push({ what: `${name}: message to answer p50, ms`, value: percentile(latencies, 0.5), aim });
    rows.push({ what: `${name}: message to answer p95, ms`, value: percentile(latencies, 0.95), aim: "" });
  }
  await stop(child);
  for (const { what, value, aim } of rows)
    process.stdout.write(`${what.padEnd(42)}${value.toFixed(1).padStart(9)}   ${aim}\n`);
  process.stdout.write(
    `${JSON.stringify({ at: new Date().toISOString(), ...Object.fromEntries(rows.map((row) => [row.what, row.value])) })}\n`,
  );
} finally {
  model.child.kill("SIGTERM");
  await Promise.all([telegram.close(), discord.close(), slack.close()]);
  await rm(folder, { recursive: true, force: true });
}
