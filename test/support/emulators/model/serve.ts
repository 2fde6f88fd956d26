/**
 * The model emulator as a process: prints `{"url": …}` as one JSON line, then answers until its parent leaves or it gets
 * SIGTERM. Arguments: `--port <n>` (default 0), `--script <name>` (default `echo`).
 * IPC messages: `{type: "script", name, delayMs?}` → `{type: "ok"}`; `{type: "count"}` → `{type: "count", requests}`;
 * `{type: "requests"}` → `{type: "requests", requests: [{model, messages, tools}]}` (only with `--keep`); `{type: "stop"}`.
 */
import { parseArgs } from "node:util";
import { builtInScript } from "./built-in-scripts.ts";
import { startModelEmulator } from "./emulator.ts";

type Control =
  | { readonly type: "script"; readonly name: string; readonly delayMs?: number }
  | { readonly type: "count" }
  | { readonly type: "requests" }
  | { readonly type: "stop" };

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    script: { type: "string", default: "echo" },
    keep: { type: "boolean", default: false },
  },
});

let requests = 0;
let script = builtInScript(values.script, 0);
const model = await startModelEmulator({
  port: Number(values.port),
  keepRequests: values.keep,
  script: (request, index) => {
    requests++;
    return script(request, index);
  },
});

async function stop(): Promise<void> {
  await model.close();
  process.exit(0);
}

process.on("message", (message: Control) => {
  switch (message.type) {
    case "script":
      script = builtInScript(message.name, message.delayMs ?? 0);
      process.send?.({ type: "ok" });
      break;
    case "count":
      process.send?.({ type: "count", requests });
      break;
    case "requests":
      process.send?.({
        type: "requests",
        requests: model.requests.map(({ model: name, messages, tools }) => ({ model: name, messages, tools })),
      });
      break;
    case "stop":
      void stop();
  }
});
process.on("disconnect", () => void stop());
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

process.stdout.write(`${JSON.stringify({ url: model.url })}\n`);
