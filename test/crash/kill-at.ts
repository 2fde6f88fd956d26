import { channel } from "node:diagnostics_channel";
import { existsSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";

/*
 * Preloaded into the program (`node --import`): ends its own process with SIGKILL at a step. Armed from outside over the
 * socket `KILL_AT_SOCKET`, so that one process serves many cases until the one that ends it. Whoever is connected is told
 * the name of every committed step. `KILL_AT_STEP` (`end-turn:2`) arms it from the first moment on, for what comes before
 * anybody can connect: right after the commit, or with the writes made and not committed (`before end-turn:2`).
 */

/** `before`: its writes are made and not committed. `later`: one turn of the event loop after the commit, what follows has begun. */
type When = "before" | "after" | "later";

interface Armed {
  /** null: any. */
  readonly step: string | null;
  /** Dies at this one of the step, counted from now; 1 is the next one. */
  readonly nth: number;
  readonly when: When;
}

const listeners = new Set<Socket>();
const state: { armed: Armed | null; seen: number } = { armed: armedAtStart(process.env.KILL_AT_STEP), seen: 0 };

function armedAtStart(text: string | undefined): Armed | null {
  if (text === undefined) return null;
  const [, before, step = "", nth] = /^(before )?([a-z-]+):(\d+)$/.exec(text) ?? [];
  if (step === "") throw new Error(`KILL_AT_STEP is no step: ${text}`);
  return { step, nth: Number(nth), when: before === undefined ? "after" : "before" };
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

function comes(message: unknown, isCommitted: boolean): void {
  const { name } = message as { readonly name: string };
  const { armed } = state;
  if (armed === null || (armed.step !== null && armed.step !== name)) return;
  if ((armed.when === "before") === isCommitted) return;
  state.seen += 1;
  if (state.seen < armed.nth) return;
  if (armed.when === "later") setImmediate(() => setImmediate(die));
  else die();
}

channel("switchyard:step-committing").subscribe((message) => comes(message, false));
// Committed, and nobody has been told: exactly what a power cut right after the commit leaves.
channel("switchyard:step-committed").subscribe((message) => {
  for (const listener of listeners) listener.write(`${(message as { readonly name: string }).name}\n`);
  comes(message, true);
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
