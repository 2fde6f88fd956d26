#!/usr/bin/env node
/*
 * The entry point, in plain JavaScript: an older Node can read it and say what is missing, where it could not even parse
 * the TypeScript (and where better-sqlite3 would end it without a message). Everything else is behind the import.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 2)) {
  process.stderr.write(
    `Switchyard needs Node 24.2 or newer; this is ${process.versions.node}. ` +
      'In a checkout, run it through npm ("npm start", "npm run switchyard -- status"): npm ci brings the right Node.\n',
  );
  process.exit(1);
}
// Between two collections the heap grows by a third and not to several times its size: a burst of messages must not take
// memory that is never given back (docs/spec/10-operations.md, OP-14).
v8.setFlagsFromString("--heap-growing-percent=30");
// Compiled code, with the types stripped from it, is kept beside the dependencies: it more than halves the start, and the
// type stripper itself (20 MB) is not even loaded. A folder that cannot be written only makes it slower.
module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/switchyard", import.meta.url)));
// Also when it is killed, and so for all starts after it: the folder is otherwise written at a regular end only.
setTimeout(module.flushCompileCache, 3_000).unref();
const { main } = await import("./command-line.ts");
process.exitCode = await main(process.argv.slice(2));
