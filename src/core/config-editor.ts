/** What the configuration file says at a path, secrets masked; or why that cannot be said. */
export type ConfigValue =
  | { readonly found: true; readonly text: string }
  | { readonly found: false; readonly problem: string | null };

export type ConfigChange =
  | {
      readonly changed: true;
      /** What of this change only a restart applies; empty: all of it applies now. */
      readonly needRestart: readonly string[];
    }
  /** Nothing was written. */
  | { readonly changed: false; readonly problems: readonly string[] };

/** PORT: the operator's configuration file, looked at and changed by command (CM-15). */
export interface ConfigEditor {
  /** `path`: dotted, `["…"]` for keys with dots; empty: the whole file. */
  get(path: string): Promise<ConfigValue>;
  /** `written`: JSON5, or a bare word, which is a text. The whole file is checked before a byte of it is replaced. */
  set(path: string, written: string): Promise<ConfigChange>;
  /** Puts one more value at the end of a list, or makes the list. */
  add(path: string, written: string): Promise<ConfigChange>;
  unset(path: string): Promise<ConfigChange>;
}

/** PORT: the running program as a command may change it (CM-16). */
export interface ProcessControl {
  /** Restarts gracefully in the same process. Returns immediately; a second call changes nothing. */
  restart(): void;
  restarting(): boolean;
  /** What is wrong with the configuration as the next start would load it; empty: it can start. */
  faults(): Promise<readonly string[]>;
}
