/**
 * How many distinct product files one message, one sub-agent and one command pass through, counted in the running program: V8
 * notes which functions run between a person's message and its answer on Telegram. Prints the three counts, the folders with
 * the most files of their own, and the import cycles.
 *
 *   npm run trips [-- --files] [-- --root <another checkout>]
 *
 * Each trip is made once before it is counted, so that nothing of a first time (code loaded late, prepared statements) is in it.
 */
import { createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { ModelScript } from "../test/support/emulators/model/index.ts";
import { cycles, folderSizes, productFiles } from "../test/support/product-files.ts";

const { values } = parseArgs({
  options: { files: { type: "boolean", default: false }, root: { type: "string" } },
});
const root = resolve(values.root ?? fileURLToPath(new URL("..", import.meta.url)));
const PRODUCT = /^(src|adapters|config)\//;
/** A trip is over when no file has joined it for this long. */
const QUIET_MS = 1_500;
const AIMS = { message: 100, spawn: 120, command: 65 } as const;

interface FunctionRuns {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** The program's own profiler, over the inspector's socket. */
async function openProfiler(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    readonly webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
  await new Promise((opened, failed) => {
    socket.addEventListener("open", opened, { once: true });
    socket.addEventListener("error", failed, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { readonly id: number; readonly result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let calls = 0;
  const call = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++calls;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((answered) => waiting.set(id, answered));
  };
  await call("Profiler.enable");
  return {
    start: () => call("Profiler.startPreciseCoverage", { callCount: true, detailed: false }),
    /** The product files of which a function ran since the last time this was asked. */
    ran: async (): Promise<readonly string[]> => {
      const { result } = (await call("Profiler.takePreciseCoverage")) as { readonly result: readonly FunctionRuns[] };
      return result
        .filter(({ url, functions }) => url.startsWith("file:") && functions.some(hasRun))
        .map(({ url }) => relative(root, fileURLToPath(url)))
        .filter((path) => PRODUCT.test(path));
    },
    stop: () => call("Profiler.stopPreciseCoverage"),
    close: () => socket.close(),
  };
}

function hasRun({ ranges }: FunctionRuns["functions"][number]): boolean {
  return ranges.some(({ count }) => count > 0);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
}

async function countTrips(): Promise<Readonly<Record<keyof typeof AIMS, readonly string[]>>> {
  const support = (path: string): string => pathToFileURL(join(root, "test/support", path)).href;
  const { startTestBridge } = (await import(
    support("test-bridge.ts")
  )) as typeof import("../test/support/test-bridge.ts");
  const { call, lastText, say } = (await import(
    support("emulators/model/index.ts")
  )) as typeof import("../test/support/emulators/model/index.ts");
  const model: ModelScript = (request) => {
    const last = request.messages.at(-1);
    if (last?.role === "tool") return say("started it");
    const asked = lastText(request, "user");
    if (asked.includes("please spawn")) {
      return call("sessions_spawn", { task: "count to three", label: `round ${asked.split(" ").at(-1)}` });
    }
    if (asked.includes("please answer")) return say("here is your answer");
    return say(asked.includes("one, two, three") ? "it counted to three" : "one, two, three");
  };
  const port = await freePort();
  await using bridge = await startTestBridge({ model, start: { nodeArgs: [`--inspect=127.0.0.1:${port}`] } });
  const profiler = await openProfiler(port);
  const dm = bridge.ann.dm(bridge.bot);
  const trips = {
    message: { says: "please answer", hears: "here is your answer" },
    spawn: { says: "please spawn", hears: "it counted to three" },
    command: { says: "/status", hears: /Session id/ },
  };

  async function passed({ says, hears }: { readonly says: string; readonly hears: string | RegExp }, round: number) {
    await profiler.start();
    const files = new Set<string>();
    dm.says(says.startsWith("/") ? says : `${says} ${round}`);
    await dm.botSays({ matching: hears, within: 30_000 });
    for (let quietSince = Date.now(); Date.now() - quietSince < QUIET_MS; await sleep(100)) {
      const before = files.size;
      for (const path of await profiler.ran()) files.add(path);
      if (files.size > before) quietSince = Date.now();
    }
    await profiler.stop();
    return [...files].toSorted();
  }

  try {
    for (const trip of Object.values(trips)) await passed(trip, 1);
    return {
      message: await passed(trips.message, 2),
      spawn: await passed(trips.spawn, 2),
      command: await passed(trips.command, 2),
    };
  } finally {
    profiler.close();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const trips = await countTrips();
print("trip      files   aim");
for (const [name, aim] of Object.entries(AIMS)) {
  const files = trips[name as keyof typeof AIMS];
  print(`${name.padEnd(8)} ${String(files.length).padStart(6)}   ≤ ${aim}`);
  const folders = Map.groupBy(files, dirname);
  if (values.files)
    for (const [folder, own] of folders)
      print(`  ${folder}: ${own.map((path) => path.split("/").at(-1)?.replace(/\.ts$/, "")).join(", ")}`);
}
const product = productFiles(root);
print(`\nproduct files: ${product.length}`);
for (const [folder, count] of folderSizes(product).slice(0, 12)) print(`${String(count).padStart(4)}  ${folder}`);
const found = cycles(product);
print(`\nimport cycles, types included: ${found.length}`);
for (const cycle of found) print(`  ${cycle.join(" → ")}`);
