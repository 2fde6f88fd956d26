import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Which tests name which clause of the contract or field case; the ids are found by scanning, nothing is kept by hand. */
export interface ClauseCoverage {
  /** Clause → the names of its tests, in the contract's order. */
  readonly clauses: ReadonlyMap<string, readonly string[]>;
  /** The same for the field cases that tests name; docs/field-cases.md has their rules. */
  readonly cases: ReadonlyMap<string, readonly string[]>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A test's name: ids, then a colon, then a sentence. A function that makes tests from a list of ids writes the same. */
const NAME =
  /["'`]((?:[A-Z]{2}-\d+(?:\.\.[A-Z]{2}-\d+)?(?:, | |\/)?)+)(?:[a-z][^:"'`\n]*)?: ([^\n]*?)["'`](?:,|\)|\]|;|$)/gm;
const CLAUSE = /^- \*\*([A-Z]{2}-\d+)\*\*/gm;

/** Reads the contract's clauses and every test name below `test/` (scanned as text: a name must be written out). */
export function clauseCoverage(): ClauseCoverage {
  const clauses = new Map<string, string[]>(contractClauses().map((id) => [id, []]));
  const cases = new Map<string, string[]>();
  for (const { file, name, ids } of testNames()) {
    for (const id of ids) {
      const map = id.startsWith("FC-") ? cases : clauses;
      map.set(id, [...(map.get(id) ?? []), `${file}: ${name}`]);
    }
  }
  return { clauses, cases: new Map([...cases].sort(([a], [b]) => a.localeCompare(b))) };
}

function contractClauses(): readonly string[] {
  const folder = join(root, "docs/spec");
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return files.sort().flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return [...text.matchAll(CLAUSE)].flatMap(([, id]) => (id === undefined ? [] : [id]));
  });
}

function testNames(): readonly { readonly file: string; readonly name: string; readonly ids: readonly string[] }[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.startsWith("support/"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, "test", file), "utf8");
      return [...text.matchAll(NAME)].map(([, head = "", sentence = ""]) => ({
        file,
        name: sentence,
        ids: idsOf(head),
      }));
    });
}

function idsOf(head: string): readonly string[] {
  return head.split(/, | |\//).flatMap((word) => {
    const range = /^([A-Z]{2})-(\d+)\.\.\1-(\d+)$/.exec(word);
    if (range === null) return word === "" ? [] : [word];
    const [, letters, from, to] = range;
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${letters}-${Number(from) + at}`);
  });
}

/** Prints clause → tests and the clauses that no test names; `--gaps` prints the latter only. */
function print(): void {
  const { clauses, cases } = clauseCoverage();
  if (!process.argv.includes("--gaps")) {
    for (const [id, tests] of [...clauses, ...cases]) {
      if (tests.length > 0) process.stdout.write(`${id}\n${tests.map((test) => `  ${test}\n`).join("")}`);
    }
  }
  const open = [...clauses].filter(([, tests]) => tests.length === 0).map(([id]) => id);
  process.stdout.write(`without a test: ${open.join(" ")}\n`);
  process.stdout.write(`field cases named: ${[...cases.keys()].join(" ")}\n`);
}

if (import.meta.main) print();
