import { parseArgs } from "node:util";
import { runBurst } from "./burst.ts";

/*
 * node test/burst/run.ts [--messages 10000] [--drop summarize|old|new] [--model-ms 1000] [--unpaced]
 *
 * Prints one line of JSON. Ends with 1 when a message is not accounted for, or memory grew by more than 150 MB.
 */
const MOST_GROWTH_MB = 150;

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    drop: { type: "string", default: "summarize" },
    "model-ms": { type: "string", default: "1000" },
    unpaced: { type: "boolean", default: false },
  },
});
const figures = await runBurst({
  messages: Number(values.messages),
  queue: { drop: values.drop },
  modelMs: Number(values["model-ms"]),
  pacing: !values.unpaced,
});
console.log(JSON.stringify(figures));
const growth = figures.rssPeakMb - figures.rssBeforeMb;
if (figures.unaccounted > 0 || growth > MOST_GROWTH_MB) process.exitCode = 1;
