import { parseArgs } from "node:util";
import { complaints, isClean } from "./account.ts";
import { runSoak, STEADY } from "./soak.ts";

const HELP = `npm run soak -- [options]
  --minutes <n>      default 60
  --rate <n>         messages a second; default 20
  --fault-every <s>  about so many seconds from one fault to the next; default 2.5
  --seed <n>         default 1`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "20" },
    "fault-every": { type: "string", default: "2.5" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.info(HELP);
else {
  const { account, figures, rssRatio, rest } = await runSoak({
    ms: Number(values.minutes) * 60_000,
    perSecond: Number(values.rate),
    faultEveryMs: Number(values["fault-every"]) * 1_000,
    seed: Number(values.seed),
    progress: (line) => console.error(line),
  });
  console.info(JSON.stringify(figures));
  const isGood = isClean(account) && rssRatio <= STEADY;
  if (!isGood) for (const line of [...complaints(account), ...rest]) console.error(`  ${line}`);
  process.exitCode = isGood ? 0 : 1;
}
