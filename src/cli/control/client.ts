import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { BridgeError } from "../../core/errors.ts";
import { ANSWER_CUT, processSilent } from "../../core/texts/cli/answers.ts";
import { CONTROL_INPUTS, type ControlApi } from "./api.ts";

/** The running process of a data folder, or null when none runs. */
export async function connectControl(dataDir: string): Promise<ControlApi | null> {
  const path = controlSocketPath(dataDir);
  if (!(await isListening(path))) return null;
  const methods = Object.keys(CONTROL_INPUTS).map((method) => [method, (input: unknown) => post(path, method, input)]);
  // Both ends are the same program: the server's answer has the type of the method that was called.
  return Object.fromEntries(methods) as ControlApi;
}

function post(path: string, method: string, input: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, path: `/${method}`, method: "POST", agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => settle(Buffer.concat(chunks).toString("utf8"), { resolve, reject }));
    });
    call.on("error", (error) => reject(new BridgeError("control_lost", processSilent(error.message))));
    call.end(JSON.stringify(input));
  });
}

function settle(
  text: string,
  { resolve, reject }: { resolve: (value: unknown) => void; reject: (error: Error) => void },
): void {
  let answer: { readonly value?: unknown; readonly error?: { readonly code: string; readonly message: string } };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    reject(new BridgeError("control_lost", ANSWER_CUT));
    return;
  }
  if (answer.error === undefined) resolve(answer.value);
  else reject(new BridgeError(answer.error.code, answer.error.message));
}

/** The socket of the process that runs on this data folder (OP-5). */
export function controlSocketPath(dataDir: string): string {
  return join(dataDir, "control.sock");
}

/** The longest path a Unix socket can have on every system. */
export const LONGEST_SOCKET_PATH = 103;

/** Whether a process listens there. A file without a listener is left over from a killed process. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
