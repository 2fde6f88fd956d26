import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";

/*
 * Preloaded into the program (`node --import`): lets its clock run ahead. Over the socket `SKIP_TIME_SOCKET` it is told how many
 * milliseconds pass; `Date.now` moves, and every timer of the program that would have run by then runs, in their order. It
 * answers with one line when they were started.
 */

interface Waiting {
  readonly dueAt: number;
  readonly run: () => void;
}

type Callback = (...args: unknown[]) => void;

const realNow = Date.now;
const realSet = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;
const state = { ahead: 0, waiting: new Map<NodeJS.Timeout, Waiting>() };

Date.now = () => realNow() + state.ahead;

// Everything else that `setTimeout` carries, such as its promise form, stays as it is.
globalThis.setTimeout = Object.assign((callback: Callback, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
  const run = (): void => {
    state.waiting.delete(timer);
    callback(...args);
  };
  const timer = realSet(run, ms);
  state.waiting.set(timer, { dueAt: Date.now() + ms, run });
  return timer;
}, realSet) as typeof setTimeout;

globalThis.clearTimeout = ((timer?: NodeJS.Timeout) => {
  if (timer !== undefined) state.waiting.delete(timer);
  realClear(timer);
}) as typeof clearTimeout;

function skip(ms: number): void {
  state.ahead += ms;
  const due = [...state.waiting].filter(([, { dueAt }]) => dueAt <= Date.now());
  for (const [timer, { run }] of due.toSorted(([, a], [, b]) => a.dueAt - b.dueAt)) {
    // One that ran before may have called it off.
    if (!state.waiting.has(timer)) continue;
    realClear(timer);
    run();
  }
}

const path = process.env.SKIP_TIME_SOCKET;
if (path !== undefined) {
  if (existsSync(path)) rmSync(path);
  const server = createServer((socket) => {
    socket.setEncoding("utf8").on("data", (text: string) => {
      skip(Number(text));
      socket.end("skipped\n");
    });
    // The program is killed while somebody may be connected.
    socket.on("error", () => undefined);
    socket.unref();
  });
  server.listen(path).unref();
}
