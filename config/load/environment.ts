import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { notAVariable, variableUnset } from "../../src/core/texts/config/load.ts";
import { type ConfigPath, type Findings, pathText } from "./findings.ts";
import { mapTexts, removeAt, type Tree, valueAt } from "./value-tree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A file's text, or null when there is no such file. Other failures are thrown: they must not look like absence. */
export function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/**
 * The environment with what `.env` beside the configuration file and in the working directory add (OP-2). The real
 * environment wins unless it is empty, then the file of the working directory.
 */
export function withEnvFiles(
  env: Environment,
  places: { readonly cwd: string; readonly configPath: string | null },
): Environment {
  const folders = [places.configPath === null ? null : dirname(places.configPath), places.cwd];
  const merged: Record<string, string | undefined> = {};
  for (const folder of folders) {
    const text = folder === null ? null : readIfExists(join(folder, ".env"));
    if (text !== null) Object.assign(merged, parseEnv(text.replace(/^\uFEFF/, "")));
  }
  // A container sets variables it has no value for to nothing; that must not hide the file's (FC-322).
  const filled = Object.entries(env).filter(([name, value]) => (value ?? "") !== "" || (merged[name] ?? "") === "");
  return { ...merged, ...Object.fromEntries(filled) };
}

/**
 * Replaces `${NAME}` in every text (OP-2); `$${` writes a plain `${`. An unset or empty variable is a fault, except in
 * a channel, account or MCP server that is switched off: there the key counts as absent.
 */
export function substituteEnv(tree: Tree, env: Environment, findings: Findings): Tree {
  const absent: ConfigPath[] = [];
  const fill = (text: string, path: ConfigPath): string =>
    text.replace(/\$?\$\{([^}]*)\}/g, (whole, name: string) => {
      if (whole.startsWith("$$")) return whole.slice(1);
      const value = env[name];
      if (value !== undefined && value !== "") return value;
      if (isSwitchedOff(tree, path)) absent.push(path);
      else reportUnset(name, path, findings);
      return whole;
    });
  const filled = mapTexts(tree, fill) as Tree;
  // From the back, so that the indices of a list stay right.
  for (const path of absent.reverse()) removeAt(filled, path);
  return filled;
}

function isSwitchedOff(tree: Tree, path: ConfigPath): boolean {
  if (path[0] !== "channels" && path[0] !== "mcp") return false;
  const sections =
    path[0] === "mcp" ? [path.slice(0, 3)] : [path.slice(0, 2), path[2] === "accounts" ? path.slice(0, 4) : []];
  return sections.some((section) => section.length > 0 && valueAt(tree, [...section, "enabled"]) === false);
}

function reportUnset(name: string, path: ConfigPath, findings: Findings): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    findings.fault(path, variableUnset(name, pathText(path)));
    return;
  }
  findings.fault(path, notAVariable(name));
}
