import { parseArgs } from "node:util";
import { replayCommand } from "./replay.ts";
import { runTrial } from "./trial.ts";

/*
 * node test/concurrency/run.ts --seeds 1000      thousands of seeds at full size, one after the other
 * node test/concurrency/run.ts --from 17 --seeds 1 --sessions 25 --calls 100 --kills 2     one seed again
 *
 * Ends with 1 when a seed broke an invariant.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    sessions: { type: "string", default: "500" },
    calls: { type: "string", default: "2000" },
    kills: { type: "string", default: "12" },
    keep: { type: "boolean", default: false },
  },
});
const size = { sessions: Number(values.sessions), calls: Number(values.calls), kills: Number(values.kills) };
const from = Number(values.from);
const failed: number[] = [];
for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
  const { seconds, counts, broken } = await runTrial(seed, size, { keep: values.keep });
  const what = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`seed ${seed}: ${broken.length === 0 ? "holds" : "BROKEN"}, ${seconds.toFixed(1)} s, ${what.join(", ")}`);
  for (const line of broken) console.log(`  ${line}`);
  if (broken.length > 0) {
    console.log(`  again: ${replayCommand(seed, size)}`);
    failed.push(seed);
  }
}
console.log(
  failed.length === 0 ? "every invariant holds" : `${failed.length} seeds broke an invariant: ${failed.join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
