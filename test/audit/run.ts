import { auditDependencies } from "./dependencies.ts";

/** `npm run audit:licences`: exit 1 when a production package has a licence or an install script that is not allowed. */
const { packages, licences, scripts } = auditDependencies();
process.stdout.write(
  `${packages} production packages, ${licences.length} licences not allowed, ${scripts.length} unknown install scripts\n`,
);
for (const line of licences) process.stdout.write(`  licence ${line}\n`);
for (const name of scripts) process.stdout.write(`  install script ${name}\n`);
process.exitCode = licences.length + scripts.length === 0 ? 0 : 1;
