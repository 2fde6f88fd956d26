import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Folders a path in prose may begin with. */
const ROOTS = ["src", "adapters", "config", "test", "bench", "docs"];

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md") && !entry.parentPath.endsWith("spec"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
];

describe("the documentation", () => {
  it.each(pages)("style: every path and link in %s exists", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? "")
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => resolve(root, dirname(page), link));
    const paths = [...text.matchAll(/`([\w.-]+\/[\w./*-]*)`/g)]
      .map((match) => match[1] ?? "")
      .filter((path) => ROOTS.includes(path.split("/")[0] ?? "") && !path.includes("*"))
      .map((path) => join(root, path));
    expect([...links, ...paths].filter((path) => !existsSync(path))).toEqual([]);
  });

  it("OP-1: the README shows the one command that runs it and the one that tests it", () => {
    const text = readFileSync(join(root, "README.md"), "utf8");
    expect(text).toContain("npm ci && npm start");
    expect(text).toContain("npm ci && npm test");
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm ci && npm test");
  });
});
