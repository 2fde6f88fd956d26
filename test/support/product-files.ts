import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A source file of the repository, by its path there. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** What it imports, exports from elsewhere or loads later, as it is written. */
  readonly imports: readonly string[];
}

export function productFiles(root: string): readonly SourceFile[] {
  return ["src", "adapters", "config"].flatMap((folder) => filesBelow(root, folder));
}

export function filesBelow(root: string, folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name));
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: specifiersIn(text) };
    });
}

/** The repository paths a file imports; packages are left out. */
export function importedBy({ path, imports }: SourceFile): readonly string[] {
  return imports.filter((specifier) => specifier.startsWith(".")).map((specifier) => join(dirname(path), specifier));
}

function specifiersIn(text: string): readonly string[] {
  const statements = text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm);
  const dynamic = text.matchAll(/\bimport\("([^"]+)"\)/g);
  return [...statements, ...dynamic].map((match) => match[1] ?? "");
}

/** Folders with the number of files of their own, the fullest first. */
export function folderSizes(files: readonly SourceFile[]): readonly (readonly [string, number])[] {
  const folders = Map.groupBy(files, (file) => dirname(file.path));
  return [...folders].map(([folder, own]) => [folder, own.length] as const).toSorted(([, a], [, b]) => b - a);
}

/** Groups of files that import each other, directly or over others, imports of types included: none is wanted. */
export function cycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const importsOf = (path: string): readonly string[] => {
    const file = byPath.get(path);
    return file === undefined ? [] : importedBy(file).filter((to) => byPath.has(to));
  };
  const found: string[][] = [];
  const order = new Map<string, { readonly index: number; low: number; open: boolean }>();
  const stack: string[] = [];

  /** Tarjan's search: a file that reaches nothing earlier closes the group above it on the stack. */
  function visit(path: string): number {
    const mark = { index: order.size, low: order.size, open: true };
    order.set(path, mark);
    stack.push(path);
    for (const next of importsOf(path)) {
      const known = order.get(next);
      if (known === undefined) mark.low = Math.min(mark.low, visit(next));
      else if (known.open) mark.low = Math.min(mark.low, known.index);
    }
    if (mark.low < mark.index) return mark.low;
    const group = stack.splice(stack.indexOf(path));
    for (const member of group) {
      const own = order.get(member);
      if (own !== undefined) own.open = false;
    }
    if (group.length > 1) found.push(group);
    return mark.low;
  }

  for (const { path } of files) if (!order.has(path)) visit(path);
  return found;
}
