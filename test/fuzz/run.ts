import { parseArgs } from "node:util";
import { fuzzEvents } from "./events.ts";

/**
 * `npm run fuzz -- [--only telegram|discord|slack] [--seed 1] [--events 10000] [--from 0]`: each fault is printed with the
 * arguments that show it again.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    events: { type: "string", default: "10000" },
    from: { type: "string", default: "0" },
    only: { type: "string", multiple: true, default: ["telegram", "discord", "slack"] },
  },
});
let faults = 0;
for (const platform of values.only) {
  if (platform !== "telegram" && platform !== "discord" && platform !== "slack")
    throw new Error(`unknown: ${platform}`);
  const report = await fuzzEvents({
    platform,
    seed: Number(values.seed),
    events: Number(values.events),
    from: Number(values.from),
  });
  const { deaths, muted, blocks } = report;
  faults += deaths.length + muted.length + blocks.length;
  process.stdout.write(
    `${platform}: ${report.events} events in ${report.seconds.toFixed(0)} s; ${deaths.length} deaths, ${muted.length} muted, ` +
      `${blocks.length} blocks; memory ${report.memoryMb.join(" to ")} MB\n`,
  );
  for (const line of [...deaths, ...muted, ...blocks]) process.stdout.write(`  ${line}\n`);
}
process.exitCode = faults === 0 ? 0 : 1;
