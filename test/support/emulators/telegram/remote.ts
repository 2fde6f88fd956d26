import { type RemoteEmulator, startRemote } from "../remote-process.ts";
import type { OPERATIONS } from "./control.ts";
import type { EmulatorOptions } from "./emulator.ts";

export type RemoteTelegram = RemoteEmulator<typeof OPERATIONS>;

/** Starts the emulator in a process of its own. End it with `close()`. */
export function startRemoteTelegram(
  options: Pick<EmulatorOptions, "rateLimits" | "keepCalls" | "webhookRetryMs"> = {},
): Promise<RemoteTelegram> {
  return startRemote(new URL("serve.ts", import.meta.url), options);
}
