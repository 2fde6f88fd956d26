/** One row of a Markdown table; a bar inside a cell does not end it. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()).join(" | ")} |`;
}
