import { type RemoteEmulator, startRemote } from "../remote-process.ts";
import type { OPERATIONS } from "./control.ts";
import type { EmulatorOptions } from "./emulator.ts";

export type RemoteDiscord = RemoteEmulator<typeof OPERATIONS>;

/** Starts the emulator in a process of its own. End it with `close()`. */
export function startRemoteDiscord(options: Omit<EmulatorOptions, "clock"> = {}): Promise<RemoteDiscord> {
  return startRemote(new URL("serve.ts", import.meta.url), options);
}
