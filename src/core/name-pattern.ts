/** True when a name written in the configuration means `name`; `*` stands for any run of characters (TP-2). */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const last = index === rest.length - 1;
    const found = last ? name.length - piece.length : name.indexOf(piece, at);
    if (found < at || !name.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return true;
}
