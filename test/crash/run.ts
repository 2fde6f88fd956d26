import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HELP = `npm run crash -- [options]
  --seed <n>        which cases are taken; default 1
  --cases <n|all>   how many; default 80
  --channel <name>  telegram, discord, slack or web
  --flow <name>     one flow of test/crash/flows.ts
  --point <title>   one point, as the name of a failed test has it`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    cases: { type: "string" },
    channel: { type: "string" },
    flow: { type: "string" },
    point: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help === true) console.info(HELP);
else {
  const given = Object.entries(values).map(([name, value]) => [`CRASH_${name.toUpperCase()}`, String(value)]);
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
  const matrix = fileURLToPath(new URL("./matrix.test.ts", import.meta.url));
  const child = spawn(process.execPath, [vitest, "run", "--reporter=verbose", matrix], {
    env: { ...process.env, ...Object.fromEntries(given) },
    stdio: "inherit",
  });
  child.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
