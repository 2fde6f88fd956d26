import { type RemoteEmulator, startRemote } from "../remote-process.ts";
import type { OPERATIONS } from "./control.ts";
import type { EmulatorOptions } from "./emulator.ts";

export type RemoteSlack = RemoteEmulator<typeof OPERATIONS>;

/** Starts the emulator in a process of its own. End it with `close()`. */
export function startRemoteSlack(
  options: Pick<EmulatorOptions, "rateLimits" | "keepCalls" | "ackMs" | "retryDelaysMs" | "pingMs"> = {},
): Promise<RemoteSlack> {
  return startRemote(new URL("serve.ts", import.meta.url), options);
}
