import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { plainSecret } from "../../src/core/texts/config/load.ts";
import type { Environment } from "./environment.ts";
import { mapTexts, pathsLike, type Tree, valueAt } from "./faults.ts";
import { type Findings, pathText } from "./findings.ts";

/** Shorter values are no secrets (`none`), and redacting them would blank ordinary words. */
const SHORTEST = 6;

function secretPaths(channels: readonly ChannelDescriptor[]): readonly string[] {
  const own = channels.flatMap((entry) =>
    entry.secretKeys.flatMap((key) => [
      `channels.${entry.channel}.${key}`,
      `channels.${entry.channel}.accounts.*.${key}`,
    ]),
  );
  return ["http.token", "models.providers.*.apiKey", ...own];
}

/** Every secret value of the substituted tree, for exact redaction. */
export function secretValues(tree: Tree, channels: readonly ChannelDescriptor[]): readonly string[] {
  const values = secretPaths(channels).flatMap((pattern) =>
    pathsLike(tree, pattern.split(".")).map((path) => valueAt(tree, path)),
  );
  return [...new Set(values.filter((value) => typeof value === "string" && value.length >= SHORTEST) as string[])];
}

/** Where secrets stand in the file as plain text. `written` is the tree before substitution. */
export function plainSecrets(written: Tree, channels: readonly ChannelDescriptor[]): readonly (readonly string[])[] {
  const servers = ["env", "headers"].flatMap((section) => pathsLike(written, ["mcp", "servers", "*", section, "*"]));
  return [
    ...secretPaths(channels).flatMap((pattern) => pathsLike(written, pattern.split("."))),
    ...servers.filter((path) => SERVER_SECRET.test(path.at(-1) ?? "")),
  ].filter((path) => {
    const value = valueAt(written, path);
    return typeof value === "string" && value.length >= SHORTEST && !value.includes("${");
  });
}

/** A secret that stands in the file itself gets shared with the file. `written` is the tree before substitution. */
export function warnPlainSecrets(written: Tree, channels: readonly ChannelDescriptor[], findings: Findings): void {
  for (const path of plainSecrets(written, channels)) {
    findings.warn(path, plainSecret(variableFor(path)));
  }
}

/**
 * What an MCP server is given in confidence (ST-42): of `env` and `headers` everything that comes from the environment and what is
 * named like a secret; of `url` and `args` only variables that are named like one. A path is none: masking it would blank ordinary words.
 */
export function serverSecrets(written: Tree, completed: Tree, env: Environment): readonly string[] {
  const values: (string | undefined)[] = [];
  for (const server of pathsLike(written, ["mcp", "servers", "*"])) {
    mapTexts(valueAt(written, server), (text, [section, key]) => {
      const isPrivate = section === "env" || section === "headers";
      const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map((match) => match[1] ?? "");
      values.push(...names.filter((name) => isPrivate || SERVER_SECRET.test(name)).map((name) => env[name]));
      if (isPrivate && (names.length > 0 || SERVER_SECRET.test(String(key)))) {
        const value = valueAt(completed, [...server, section, String(key)]);
        if (typeof value === "string") values.push(value, value.replace(/^(Bearer|Basic) /i, ""));
      }
      return text;
    });
  }
  return values.filter(
    (value) => value !== undefined && value.length >= SHORTEST && !value.startsWith("/"),
  ) as string[];
}

const SERVER_SECRET = /token|secret|password|key|auth|cookie|credential|(^|_)pat(_|$)/i;
const SECRET_NAME = /token|secret|password|api_?key/i;
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** The tree as people may see it: what may be a secret is masked, references to the environment stay. `written`: before substitution. */
export function maskSecrets(written: Tree, channels: readonly ChannelDescriptor[]): unknown {
  const known = new Set(plainSecrets(written, channels).map(pathText));
  return mapTexts(written, (text, path) => {
    const isServers = path[0] === "mcp" && (path[3] === "env" || path[3] === "headers");
    const named = isServers || path.some((part) => typeof part === "string" && SECRET_NAME.test(part));
    return (named || known.has(pathText(path))) && !REFERENCE.test(text) ? "[secret]" : text;
  });
}

function variableFor(path: readonly string[]): string {
  if (path[0] === "http") return "SWITCHYARD_TOKEN";
  const words = path.filter(
    (part) => !["channels", "models", "providers", "accounts", "mcp", "servers", "env", "headers"].includes(part),
  );
  return pathText(words)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}
