import type { ChannelDescriptor } from "../src/channel/descriptor.ts";
import { type Findings, pathText } from "./findings.ts";
import { mapTexts, pathsLike, type Tree, valueAt } from "./value-tree.ts";

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
  return secretPaths(channels)
    .flatMap((pattern) => pathsLike(written, pattern.split(".")))
    .filter((path) => {
      const value = valueAt(written, path);
      return typeof value === "string" && value.length >= SHORTEST && !value.includes("${");
    });
}

/** A secret that stands in the file itself gets shared with the file. `written` is the tree before substitution. */
export function warnPlainSecrets(written: Tree, channels: readonly ChannelDescriptor[], findings: Findings): void {
  for (const path of plainSecrets(written, channels)) {
    findings.warn(
      path,
      "a secret stands in the file as plain text",
      `Move it to the environment or .env, and write "\${${variableFor(path)}}" here.`,
    );
  }
}

const SECRET_NAME = /token|secret|password|api_?key/i;
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** The tree as people may see it: what may be a secret is masked, references to the environment stay. `written`: before substitution. */
export function maskSecrets(written: Tree, channels: readonly ChannelDescriptor[]): unknown {
  const known = new Set(plainSecrets(written, channels).map(pathText));
  return mapTexts(written, (text, path) => {
    const named = path.some((part) => typeof part === "string" && SECRET_NAME.test(part));
    return (named || known.has(pathText(path))) && !REFERENCE.test(text) ? "[secret]" : text;
  });
}

function variableFor(path: readonly string[]): string {
  if (path[0] === "http") return "SWITCHYARD_TOKEN";
  const words = path.filter((part) => !["channels", "models", "providers", "accounts"].includes(part));
  return pathText(words)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}
