import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

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
  { packages: /^@ai-sdk\/.*$/, folder: "src/agent/providers/" },
  { packages: /^@modelcontextprotocol\/.*$/, folder: "src/tools/mcp/" },
  { packages: /^kysely$/, folder: "src/store/" },
  { packages: /^(@hono\/node-server|prom-client)$/, folder: "src/http/" },
  { packages: /^(commander|pino|pino-pretty)$/, folder: "src/cli/" },
];
const MAX_LINES = 300;
const MAX_TEST_LINES = 400;
const NAMELESS = /\/(utils?|helpers?|common|types|misc)(\.ts|\/)/;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function filesBelow(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name));
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: importsOf(text) };
    });
}

function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm);
  const dynamic = text.matchAll(/\bimport\("([^"]+)"\)/g);
  return [...statements, ...dynamic].map((match) => match[1] ?? "");
}

/** The repository path a relative import leads to; null for packages. */
function target(file: SourceFile, specifier: string): string | null {
  return specifier.startsWith(".") ? relative(root, resolve(join(root, dirname(file.path)), specifier)) : null;
}

function levelOf(path: string): number | null {
  const folder = path.split("/")[1] ?? "";
  const level = LEVELS.findIndex((folders) => folders.includes(folder));
  return path.startsWith("src/") && level >= 0 ? level : null;
}

const product = ["src", "adapters", "config"].flatMap(filesBelow);
const tests = ["test", "bench"].flatMap(filesBelow);

describe("the architecture", () => {
  it("rules: a folder of src imports itself and what stands left of it, never its neighbours", () => {
    const wrong = product.flatMap((file) => {
      const own = levelOf(file.path);
      if (own === null) return [];
      return file.imports.flatMap((specifier) => {
        const to = target(file, specifier);
        const level = to === null ? null : levelOf(to);
        if (to === null || level === null) return [];
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
        return file.imports.flatMap((specifier) => {
          const to = target(file, specifier);
          const allowed = to === null || [`${own}/`, "src/core/", "src/channel/"].some((start) => to.startsWith(start));
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
