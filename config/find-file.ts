import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ConfigError } from "../src/core/errors.ts";
import type { Environment } from "./environment.ts";

export interface FindInput {
  /** `--config`. */
  readonly path?: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

/**
 * The configuration file (OP-2): `--config`, `$SWITCHYARD_CONFIG`, `./switchyard.json5`, `~/.switchyard/switchyard.json5`;
 * null: none of them, so the defaults. A file that was named and does not exist is a ConfigError, never a silent default.
 */
export function findConfigFile({ path, env, cwd }: FindInput): string | null {
  if (path !== undefined) return existing(resolve(cwd, path), "--config");
  const named = env.SWITCHYARD_CONFIG;
  if (named !== undefined && named !== "") return existing(resolve(cwd, named), "SWITCHYARD_CONFIG");
  const home = env.HOME === undefined || env.HOME === "" ? homedir() : env.HOME;
  const places = [join(cwd, "switchyard.json5"), join(home, ".switchyard", "switchyard.json5")];
  return places.find((place) => existsSync(place)) ?? null;
}

function existing(file: string, from: string): string {
  if (existsSync(file)) return file;
  throw new ConfigError([
    {
      path: from,
      problem: `the file ${file} does not exist`,
      remedy: "Create it, or leave the setting out to use the built-in defaults.",
    },
  ]);
}
