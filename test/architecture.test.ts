import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cycles, filesBelow, folderSizes, importedBy, type SourceFile } from "./support/product-files.ts";
import { sentencesIn } from "./support/sentences.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Folders of `src/` from left to right; a folder imports itself and what stands left of its level. */
const LEVELS: readonly (readonly string[])[] = [
  ["core"],
  ["channel", "work"],
  ["store"],
  ["routing", "sessions", "delivery", "trace"],
  ["subagents"],
  ["tools", "commands"],
  ["agent"],
  ["bridge"],
  ["http", "cli"],
];
/** Packages that may appear only below these folders. */
const CONFINED: readonly { readonly packages: RegExp; readonly folder: string }[] = [
  { packages: /^(better-sqlite3|pg)$/, folder: "src/store/dialect/" },
  { packages: /^(grammy|@grammyjs\/.*)$/, folder: "adapters/telegram/" },
  { packages: /^(discord\.js|@discordjs\/.*|discord-api-types(\/.*)?)$/, folder: "adapters/discord/" },
  { packages: /^@slack\/.*$/, folder: "adapters/slack/" },
  { packages: /^@modelcontextprotocol\/.*$/, folder: "src/tools/mcp/" },
  { packages: /^kysely$/, folder: "src/store/" },
  { packages: /^(@hono\/node-server|prom-client)$/, folder: "src/http/" },
  { packages: /^(commander|pino|pino-pretty)$/, folder: "src/cli/" },
];
const MAX_LINES = 300;
const MAX_TEST_LINES = 400;
const MAX_FILES = 25;
/** Who may name the concrete store: the composition root, and the store itself. */
const NAMES_THE_STORE = /^src\/(compose\.ts$|command-line\.ts$|store\/)/;

/** The catalogue; SQL; what only a page of the docs says of an adapter. */
const SPOKEN_BESIDE = /^(src\/core\/texts\/|src\/store\/migrations\/|adapters\/[\w-]+\/guarantee\.ts$)/;
/** What is spoken elsewhere: most of it only a developer reads. Each number only ever falls. */
const SENTENCES: Readonly<Record<string, number>> = {
  src: 4,
  "src/agent": 49,
  /** Names of guarantees, which are names of tests. */
  "src/channel": 13,
  "src/cli": 1,
  "src/core": 2,
  "src/http": 2,
  "src/routing": 1,
  "src/sessions": 3,
  /** SQL, and what only a developer reads. */
  "src/store": 9,
  "adapters/discord": 7,
  "adapters/slack": 2,
  "adapters/telegram": 3,
  config: 2,
};
const NAMELESS = /\/(utils?|helpers?|common|types|misc)(\.ts|\/)/;

function levelOf(path: string): number | null {
  const folder = path.split("/")[1] ?? "";
  const level = LEVELS.findIndex((folders) => folders.includes(folder));
  return path.startsWith("src/") && level >= 0 ? level : null;
}

/** A folder on the disk or a group of files of the same kind: the room in which something is counted. */
function roomOf(path: string): string {
  const [top = "", second = ""] = path.split("/");
  return top === "config" || second.endsWith(".ts") ? top : `${top}/${second}`;
}

/** What each room has more of than it may; a room that is not listed may have none. */
function over(counts: ReadonlyMap<string, number>, allowed: Readonly<Record<string, number>>): readonly string[] {
  return [...counts]
    .filter(([room, count]) => count > (allowed[room] ?? 0))
    .map(([room, count]) => `${room}: ${count}, allowed ${allowed[room] ?? 0}`);
}

/** The files that export each name, as units: `adapters` for a name that only adapters have, each once. */
function exportsByName(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files) {
    const names = text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type|enum) +(\w+)/gm,
    );
    const unit = path.startsWith("adapters/") ? path.split("/").slice(0, 2).join("/") : "the rest";
    for (const name of new Set([...names].map((match) => match[1] ?? ""))) {
      found.set(name, [...(found.get(name) ?? []), unit]);
    }
  }
  return found;
}

const product = ["src", "adapters", "config"].flatMap((folder) => filesBelow(root, folder));
const tests = ["test", "bench"].flatMap((folder) => filesBelow(root, folder));

describe("the architecture", () => {
  it("rules: a folder of src imports itself and what stands left of it, never its neighbours", () => {
    const wrong = product.flatMap((file) => {
      const own = levelOf(file.path);
      if (own === null) return [];
      return importedBy(file).flatMap((to) => {
        const level = levelOf(to);
        if (level === null) return [];
        const sameFolder = to.split("/")[1] === file.path.split("/")[1];
        return sameFolder || level < own ? [] : [`${file.path} imports ${to}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("CH-7: an adapter imports only the core, the channel port and its own folder", () => {
    const wrong = product
      .filter((file) => file.path.startsWith("adapters/") && file.path !== "adapters/index.ts")
      .flatMap((file) => {
        const own = file.path.split("/").slice(0, 2).join("/");
        return importedBy(file).flatMap((to) => {
          const allowed = [`${own}/`, "src/core/", "src/channel/"].some((start) => to.startsWith(start));
          return allowed ? [] : [`${file.path} imports ${to}`];
        });
      });
    expect(wrong).toEqual([]);
  });

  it("rules: platform, driver and model packages stay in their folders", () => {
    const wrong = product.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const rule = CONFINED.find(({ packages }) => packages.test(specifier));
        return rule === undefined || file.path.startsWith(rule.folder) ? [] : [`${file.path} imports ${specifier}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("rules: files stay small enough to read", () => {
    const long = [
      ...product.map((file) => ({ file, limit: MAX_LINES })),
      ...tests.map((file) => ({ file, limit: MAX_TEST_LINES })),
    ].filter(({ file, limit }) => file.text.split("\n").length > limit);
    expect(long.map(({ file }) => file.path)).toEqual([]);
  });

  it("rules: no folder holds more files of its own than one sees at a glance", () => {
    expect(folderSizes(product).filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });

  it("rules: no file imports itself over others, not even its types", () => {
    expect(cycles(product).map((cycle) => cycle.join(" → "))).toEqual([]);
  });

  it("rules: an exported name means one thing; what every adapter has is named alike in each", () => {
    const clash = (owners: readonly string[]): boolean =>
      new Set(owners).size < owners.length || (owners.length > 1 && owners.includes("the rest"));
    const clashing = [...exportsByName(product)].filter(([, owners]) => clash(owners)).map(([name]) => name);
    expect(clashing).toEqual([]);
  });

  it("rules: only compose.ts and command-line.ts name the concrete store", () => {
    const wrong = product
      .filter(({ path }) => !NAMES_THE_STORE.test(path))
      .flatMap((file) =>
        importedBy(file)
          .filter((to) => to.startsWith("src/store/dialect/"))
          .map((to) => `${file.path} imports ${to}`),
      );
    expect(wrong).toEqual([]);
  });

  it("rules: every file below store/steps defines a step, no part does, and no part imports a step", () => {
    const wrong = product.filter((file) => {
      const defines = file.text.includes("defineStep(");
      if (file.path.startsWith("src/store/steps/")) return !defines;
      const importsStep = importedBy(file).some((to) => to.startsWith("src/store/steps/"));
      return file.path.startsWith("src/store/parts/") && (defines || importsStep);
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("rules: what people and models read is in src/core/texts", () => {
    const spoken = product
      .filter(({ path }) => !SPOKEN_BESIDE.test(path))
      .map(({ path, text }) => [roomOf(path), sentencesIn(text).length] as const);
    const counts = new Map<string, number>();
    for (const [room, count] of spoken) counts.set(room, (counts.get(room) ?? 0) + count);
    expect(over(counts, SENTENCES)).toEqual([]);
  });

  it("rules: no file is named for nothing in particular", () => {
    expect([...product, ...tests].map((file) => file.path).filter((path) => NAMELESS.test(`/${path}`))).toEqual([]);
  });

  it("rules: no state at the top of a module, and no import that acts", () => {
    const wrong = product
      .filter((file) => !file.path.startsWith("config/generate-"))
      .flatMap((file) => {
        const state = [...file.text.matchAll(/^(?:export )?(?:let|var) .*$/gm)].map((match) => match[0]);
        const mutable = [
          ...file.text.matchAll(/^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\);$/gm),
        ].map((match) => match[0]);
        return [...state, ...mutable].map((line) => `${file.path}: ${line}`);
      });
    expect(wrong).toEqual([]);
  });

  it("style: no silenced types, no empty catch, no unfinished marks", () => {
    const marks = /@ts-ignore|@ts-expect-error|\bTODO\b|\bFIXME\b|catch(?: \(\w+\))? \{\s*\}/;
    expect(product.filter((file) => marks.test(file.text)).map((file) => file.path)).toEqual([]);
  });
});
