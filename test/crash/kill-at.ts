import { channel } from "node:diagnostics_channel";
import { existsSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";

/*
 * Preloaded into the program (`node --import`): ends its own process with SIGKILL at a committed step. Armed from outside
 * over the socket `KILL_AT_SOCKET`, so that one process serves many cases until the one that ends it; with `KILL_AT_STEP`
 * (`name` or `name:n`) it is armed from the start. Whoever is connected is told the name of every committed step.
 */

interface Armed {
  readonly step: string;
  /** Dies at this commit of the step, counted from now; 1 is the next one. */
  readonly nth: number;
  /** Dies one turn of the event loop after the commit: what follows it has begun. */
  readonly later: boolean;
}

const listeners = new Set<Socket>();
const state: { armed: Armed | null; seen: number } = { armed: fromEnvironment(), seen: 0 };

function fromEnvironment(): Armed | null {
  const [step, nth = "1"] = (process.env.KILL_AT_STEP ?? "").split(":");
  return step === undefined || step === "" ? null : { step, nth: Number(nth), later: false };
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

// Committed, and nobody has been told: exactly what a power cut right after the commit leaves.
channel("switchyard:step-committed").subscribe((message) => {
  const { name } = message as { readonly name: string };
  for (const listener of listeners) listener.write(`${name}\n`);
  const { armed } = state;
  if (armed === null || armed.step !== name) return;
  state.seen += 1;
  if (state.seen < armed.nth) return;
  if (armed.later) setImmediate(() => setImmediate(die));
  else die();
});

const path = process.env.KILL_AT_SOCKET;
if (path !== undefined) {
  if (existsSync(path)) rmSync(path);
  const server = createServer((socket) => {
    listeners.add(socket);
    socket.setEncoding("utf8").on("data", (line: string) => {
      state.armed = JSON.parse(line) as Armed | null;
      state.seen = 0;
      socket.write("armed\n");
    });
    const gone = (): void => void listeners.delete(socket);
    socket.on("close", gone).on("error", gone);
    socket.unref();
  });
  server.listen(path).unref();
}
