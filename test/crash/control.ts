import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How a program is started that can be ended at a step. */
export const KILLABLE = {
  nodeArgs: ["--import", fileURLToPath(new URL("./kill-at.ts", import.meta.url))],
  env: { KILL_AT_SOCKET: "kill.sock" },
} as const;

export interface ArmedStep {
  /** null: whichever comes next. */
  readonly step: string | null;
  readonly nth: number;
  readonly when: "before" | "after" | "later";
}

/** The line to `kill-at.ts` inside the program. */
export class Control {
  /** The names of the steps committed since the program was started. */
  readonly steps: string[] = [];
  readonly #socket: Socket;
  readonly #woken = new Set<() => void>();
  #armed: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    let rest = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "armed") this.#armed?.resolve();
        else this.steps.push(line);
      }
      for (const wake of [...this.#woken]) wake();
    });
    socket.on("close", () => {
      this.#armed?.reject(new Error("the program ended before it was armed"));
      for (const wake of [...this.#woken]) wake();
    });
    // The program dies while this line is open: that is what it is for.
    socket.on("error", () => undefined);
  }

  static connect(folder: string): Promise<Control> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(join(folder, KILLABLE.env.KILL_AT_SOCKET));
      socket.once("connect", () => resolve(new Control(socket)));
      socket.once("error", reject);
    });
  }

  /** Resolves when the next step is committed or the program has ended, at the latest after so many milliseconds. */
  next(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#woken.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      this.#woken.add(wake);
    });
  }

  /** null: no step ends it. Rejects when the program has ended. */
  arm(point: ArmedStep | null): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error("the program has ended"));
      this.#armed = { resolve, reject };
      this.#socket.write(JSON.stringify(point));
    });
  }
}
