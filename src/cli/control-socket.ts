import { connect } from "node:net";
import { join } from "node:path";

/** The socket of the process that runs on this data folder (OP-5). */
export function controlSocketPath(dataDir: string): string {
  return join(dataDir, "control.sock");
}

/** The longest path a Unix socket can have on every system. */
export const LONGEST_SOCKET_PATH = 103;

/** Whether somebody listens there. A file without a listener is what a killed process left. */
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
