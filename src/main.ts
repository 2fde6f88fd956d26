#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

/*
 * The entry point. better-sqlite3 ends an older Node without a message, so the version is looked at before anything is
 * imported; everything else is behind the dynamic import.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 2)) {
  process.stderr.write(
    `Switchyard needs Node 24.2 or newer; this is ${process.versions.node}. ` +
      'In a checkout, run it through npm ("npm start", "npm run switchyard -- status"): npm ci brings the right Node.\n',
  );
  process.exit(1);
}
// Compiled code, and types stripped from it, are kept beside the dependencies: it more than halves the start. A folder that
// cannot be written only makes it slower.
module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/switchyard", import.meta.url)));
const { main } = await import("./compose.ts");
process.exitCode = await main(process.argv.slice(2));
