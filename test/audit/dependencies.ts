import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Licences that let the product be used, changed and passed on as it is (docs/security.md). */
const ALLOWED: readonly string[] = [
  // markdown-it's own command line brings argparse, which is Python's and as permissive; htmx spells 0BSD its own way.
  "PSF-2.0",
  "BSD-0-Clause",

  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
];
/** Production packages whose install script is known; npm runs none of them unless `allowScripts` in package.json says so. */
const KNOWN_SCRIPTS: readonly string[] = ["better-sqlite3"];

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
}

export interface Audit {
  readonly packages: number;
  /** `name: licence`, for each package that may not be passed on with the product. */
  readonly licences: readonly string[];
  /** Packages that would run code while they are installed, and are not known to. */
  readonly scripts: readonly string[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Looks at every package that is installed in production, as package-lock.json names it. */
export function auditDependencies(
  lockFile: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(`${root}package-lock.json`, "utf8"),
  ),
): Audit {
  const production = Object.entries(lockFile.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const licences = production.flatMap(([path, locked]) => {
    const licence = locked.license ?? licenceOf(path);
    return isAllowed(licence) ? [] : [`${nameOf(path)}: ${licence}`];
  });
  const scripts = production
    .filter(([path, { hasInstallScript }]) => hasInstallScript === true && !KNOWN_SCRIPTS.includes(nameOf(path)))
    .map(([path]) => nameOf(path));
  return { packages: production.length, licences, scripts };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function licenceOf(path: string): string {
  const file = `${root}${path}/package.json`;
  if (!existsSync(file)) return "unknown";
  const { license } = JSON.parse(readFileSync(file, "utf8")) as { readonly license?: unknown };
  return typeof license === "string" ? license : "unknown";
}

/** `(MIT OR GPL-3.0)` may be taken as MIT; with AND every part counts. */
function isAllowed(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, "$1");
  if (bare.includes(" OR ")) return bare.split(" OR ").some(isAllowed);
  return bare.split(" AND ").every((licence) => ALLOWED.includes(licence));
}
