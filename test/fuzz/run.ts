import { parseArgs } from "node:util";
import { fuzzEvents } from "./events.ts";
import { INPUT_FUZZES } from "./kinds.ts";

/**
 * `npm run fuzz -- [--only telegram|discord|slack|config|cli|http|text|models|mcp] [--seed 1] [--inputs 10000] [--from 0]`: each fault is
 * printed with what shows it again.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    inputs: { type: "string", default: "10000" },
    from: { type: "string", default: "0" },
    only: { type: "string", multiple: true, default: ["telegram", "discord", "slack", ...Object.keys(INPUT_FUZZES)] },
  },
});
const [seed, inputs, from] = [Number(values.seed), Number(values.inputs), Number(values.from)];
let faults = 0;
for (const kind of values.only) {
  const lines = await run(kind);
  faults += lines.length;
  for (const line of lines) process.stdout.write(`  ${line}\n`);
}
process.exitCode = faults === 0 ? 0 : 1;

async function run(kind: string): Promise<readonly string[]> {
  if (kind === "telegram" || kind === "discord" || kind === "slack") {
    const { seconds, deaths, muted, blocks, memoryMb } = await fuzzEvents({
      platform: kind,
      seed,
      events: inputs,
      from,
    });
    process.stdout.write(
      `${kind}: ${inputs} events in ${seconds.toFixed(0)} s; ${deaths.length} deaths, ${muted.length} muted, ` +
        `${blocks.length} blocks; memory ${memoryMb.join(" to ")} MB\n`,
    );
    return [...deaths, ...muted, ...blocks];
  }
  const fuzz = Object.entries(INPUT_FUZZES).find(([name]) => name === kind)?.[1];
  if (fuzz === undefined) throw new Error(`there is nothing to fuzz called ${kind}`);
  const report = await fuzz(seed, inputs);
  process.stdout.write(`${kind}: ${inputs} inputs in ${report.seconds.toFixed(0)} s; ${report.faults.length} faults\n`);
  return report.faults;
}
