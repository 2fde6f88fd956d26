import type { LoadedConfig } from "../../config/load/load.ts";
import type { ConfigCatalog } from "../../config/load/parse.ts";
import type { CommandLine } from "../bridge/accept/arrival.ts";
import type { ChannelDescriptor } from "../channel/descriptor.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { StoreFiles } from "../store/store.ts";
import type { Printer } from "./output.ts";

export interface StartOptions {
  readonly loaded: LoadedConfig;
  /** Loads the configuration again with the same options, for live reload (OP-2). */
  readonly reload: () => Promise<LoadedConfig>;
  /** Loads another file in its place, to check it (CM-15). */
  readonly loadFile: (file: string) => Promise<LoadedConfig>;
  readonly channels: readonly ChannelDescriptor[];
  /** How to run another command for this very process (FC-333). */
  readonly commandLine: CommandLine;
  /** The address of the run before in this process, whose port is taken again where any will do (CM-16). */
  readonly formerUrl: string | null;
  readonly log: Logger;
}

export interface RunningSwitchyard {
  /** The page's address; null when the HTTP server is not used. */
  readonly url: string | null;
  /** Resolves when it has stopped (OP-9), with the process's exit code, or because it should restart (CM-16). */
  readonly stopped: Promise<number | "restart">;
}

/** Starts the product. The command line only loads the configuration and prints; signals are its business. */
export type StartSwitchyard = (options: StartOptions) => Promise<RunningSwitchyard>;

/** What the composition root gives the command line. */
export interface CliDeps {
  readonly version: string;
  readonly catalog: ConfigCatalog;
  readonly start: StartSwitchyard;
  /** Loaded when it is asked for. */
  readonly storeFiles: () => Promise<StoreFiles>;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The file of the program as it was called. */
  readonly program: string;
  readonly output: Printer;
  /** The output is a terminal: pretty logs. */
  readonly isTerminal: boolean;
}
