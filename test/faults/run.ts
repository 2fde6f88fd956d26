import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { DISCORD_PLAYS } from "../support/emulators/discord/fault-plays.ts";
import { FAULTS } from "../support/emulators/fault-model.ts";
import { SLACK_PLAYS } from "../support/emulators/slack/fault-plays.ts";
import { TELEGRAM_PLAYS } from "../support/emulators/telegram/fault-plays.ts";
import { WEB_PLAYS } from "../support/web-page.ts";
import { complaints, isClean } from "./account.ts";
import { composed, TRIAL } from "./compose.ts";
import { type Ground, openGround } from "./ground.ts";
import { type FaultScript, scriptSchema, spoken } from "./script.ts";
import { shrunk } from "./shrink.ts";
import { runTrial, type TrialResult } from "./trial.ts";

const HELP = `npm run faults -- [options]
  --seed <n>        one seed; default 1
  --seeds <a..b>    many, one after the other
  --script <file>   exactly this script, as a failing seed has written it
  --messages <n>    how many messages a seed has; default ${TRIAL.messages}
  --faults <n>      how many faults; default ${TRIAL.faults}
  --kills <share>   share of seeds with a kill; default ${TRIAL.kills}
  --keep            keep the store and the log of a seed that fails
  --list            print how each platform plays each fault
  --show            print what happens when
  --shrink          look for a smaller script that still fails`;

/** A failure may need a moment that does not come each time. */
const REPLAYS = 2;
const MOST_REPLAYS = 60;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string" },
    script: { type: "string" },
    messages: { type: "string" },
    faults: { type: "string" },
    kills: { type: "string" },
    keep: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    show: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.info(HELP);
else if (values.list) list();
else await main();

async function main(): Promise<void> {
  let ground = await openGround();
  const scripts = scriptsOf(ground);
  const failed: number[] = [];
  for (const [index, script] of scripts.entries()) {
    if (values.show) for (const line of spoken(script)) console.info(line);
    const result = await runTrial(ground, script, `${script.seed}r${index}`);
    console.info(summary(script, result));
    if (isClean(result.account)) continue;
    failed.push(script.seed);
    for (const line of [...complaints(result.account), ...result.rest]) console.info(`  ${line}`);
    if (values.keep) keep(ground, script.seed);
    // What it left behind must not disturb the next.
    await ground[Symbol.asyncDispose]();
    const smaller = values.shrink ? await shrunk(script, failsAnew, MOST_REPLAYS) : script;
    const file = `faults-${script.seed}.json`;
    writeFileSync(file, JSON.stringify(smaller));
    console.info(`  again: npm run faults -- --script ${file}`);
    if (values.shrink) for (const line of spoken(smaller)) console.info(`  ${line}`);
    ground = await openGround();
  }
  await ground[Symbol.asyncDispose]();
  console.info(failed.length === 0 ? `${scripts.length} seeds hold` : `${failed.length} failed: ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function list(): void {
  const all = { telegram: TELEGRAM_PLAYS, discord: DISCORD_PLAYS, slack: SLACK_PLAYS, web: WEB_PLAYS };
  for (const name of FAULTS) {
    console.info(name);
    for (const [channel, plays] of Object.entries(all)) {
      const play = plays[name];
      console.info(`  ${channel.padEnd(9)} ${"cannot" in play ? `cannot: ${play.cannot}` : play.how}`);
    }
  }
}

function scriptsOf({ playable }: Ground): readonly FaultScript[] {
  if (values.script !== undefined) return [scriptSchema.parse(JSON.parse(readFileSync(values.script, "utf8")))];
  const [from = Number(values.seed), to = from] = values.seeds?.split("..").map(Number) ?? [];
  const size = {
    ...TRIAL,
    messages: Number(values.messages ?? TRIAL.messages),
    faults: Number(values.faults ?? TRIAL.faults),
    kills: Number(values.kills ?? TRIAL.kills),
  };
  return Array.from({ length: to - from + 1 }, (_unused, index) => composed(from + index, playable, size));
}

function keep({ bridge }: Ground, seed: number): void {
  const folder = `faults-${seed}`;
  cpSync(bridge.process.folder, folder, { recursive: true });
  writeFileSync(`${folder}/log.jsonl`, bridge.process.logs.map((line) => `${JSON.stringify(line)}\n`).join(""));
  console.info(`  kept in ${folder}`);
}

async function failsAnew(script: FaultScript): Promise<boolean> {
  for (let replay = 0; replay < REPLAYS; replay += 1) {
    const ground = await openGround();
    try {
      const { account } = await runTrial(ground, script, `${script.seed}s${replay}`);
      if (!isClean(account)) return true;
    } finally {
      await ground[Symbol.asyncDispose]();
    }
  }
  return false;
}

function summary({ seed, faults }: FaultScript, { account, ms }: TrialResult): string {
  const { said, answered, labelled } = account;
  const counts = `${answered} of ${said} answered, ${faults.length} faults, ${labelled.length} labelled doubles`;
  return `seed ${seed}: ${isClean(account) ? "holds" : "BROKEN"}, ${(ms / 1000).toFixed(1)} s, ${counts}`;
}
