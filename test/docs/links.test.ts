import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands/registry.ts";
import { askSwitchyard } from "../support/run-switchyard.ts";
import { allPages, anchorsOf, type Page, root } from "./pages.ts";

/** Folders a path in prose may begin with. */
const ROOTS = ["src", "adapters", "config", "test", "bench", "docs", ".ci"];
const pages = allPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

/** All pages but the one about what is not built yet. */
const isBuilt = ({ path }: Page): boolean => !path.startsWith("docs/spec/11-");

/** The links of a page to files of the repository, each with its anchor. */
function linksOf({ path, text }: Page): readonly { readonly file: string; readonly anchor: string | null }[] {
  return [...text.matchAll(/\]\(([^)\s]*)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [to = "", anchor = null] = link.split("#");
      return { file: to === "" ? path : relative(root, resolve(root, dirname(path), to)), anchor };
    });
}

describe("the documentation", () => {
  it.each(pages.map((page) => page.path))("style: every path, link and anchor in %s exists", (path) => {
    const page = byPath.get(path) as Page;
    const broken = linksOf(page)
      .filter(({ file, anchor }) => {
        const target = byPath.get(file);
        if (target === undefined) return !existsSync(join(root, file)) || anchor !== null;
        return anchor !== null && !anchorsOf(target).has(anchor);
      })
      .map(({ file, anchor }) => `${file}#${anchor}`);
    // A line of a recipe that ends in a colon names the file it is about to write.
    const prose = page.text.replace(/^\d+\. .*`:?.*:$/gm, "");
    // And a test that the guide has its reader write is not there yet.
    const written = (named: string): boolean => page.path === "CONTRIBUTING.md" && /\bboard\b/.test(named);
    const paths = [...prose.matchAll(/`([\w.-]+\/[\w./-]*)`/g)]
      .map(([, named = ""]) => named)
      .filter(
        (named) => ROOTS.includes(named.split("/")[0] ?? "") && !existsSync(join(root, named)) && !written(named),
      );
    expect([...broken, ...paths]).toEqual([]);
  });

  it("style: every page of docs/ is linked from docs/README.md or from a page that is", () => {
    const reached = new Set(["docs/README.md", "README.md"]);
    for (const path of reached)
      for (const { file } of linksOf(byPath.get(path) as Page)) if (byPath.has(file)) reached.add(file);
    expect(pages.map((page) => page.path).filter((path) => path.startsWith("docs/") && !reached.has(path))).toEqual([]);
  });

  it("OP-1: the README shows the one command that runs it and the one that tests it", () => {
    const text = byPath.get("README.md")?.text;
    expect(text).toContain("npm ci && npm start");
    expect(text).toContain("npm ci && npm test");
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm ci && npm test");
  });

  it("FC-426: a page mentions only chat commands that exist", () => {
    const known = new Set(COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])]));
    for (const own of ["switchyard", "x", "agentstatus", "healthz", "readyz", "metrics", "web", "c"]) known.add(own);
    for (const botFather of ["newbot", "setprivacy"]) known.add(botFather);
    const unknown = pages
      .filter((page) => isBuilt(page) && page.path !== "docs/field-cases.md")
      .flatMap(({ path, text }) =>
        [...text.matchAll(/`\/([a-z]+)(?=[ `])/g)]
          .map(([, name = ""]) => name)
          .filter((name) => !known.has(name))
          .map((name) => `${path}: /${name}`),
      );
    expect(unknown).toEqual([]);
  });

  it("OP-5: a page mentions only commands of the command line that exist", async () => {
    const mentioned = new Set(
      pages
        .filter(isBuilt)
        .flatMap(({ text }) =>
          [
            ...text.matchAll(
              /`switchyard ([a-z]+(?: (?:show|retry|dismiss|results|approve|list|deny|check|backup|migrate|manifest)\b)?)/g,
            ),
          ].map(([, command = ""]) => command),
        ),
    );
    const helps = new Map<string, string>();
    for (const group of ["", "deliveries", "pairing", "config", "db", "slack"]) {
      helps.set(group, (await askSwitchyard(tmpdir(), [group, "--help"].filter(Boolean))).out);
    }
    const unknown = [...mentioned].filter((command) => {
      const [group = "", name] = command.split(" ");
      const inGroup = (help: string | undefined, word: string) => new RegExp(`^  ${word}\\b`, "m").test(help ?? "");
      return !inGroup(helps.get(""), group) || (name !== undefined && !inGroup(helps.get(group), name));
    });
    expect(unknown).toEqual([]);
    expect(mentioned.size).toBeGreaterThan(10);
  });
});
