/** Keys of a component whose texts people see. */
const WORDS = ["content", "label", "description", "placeholder"] as const;
/** Keys that hold further components. A section's button is drawn beside its texts, so it is read after them. */
const INNER = ["components", "component", "items", "options", "accessory"] as const;
/** Nested deeper than any message Discord accepts. */
const DEEPEST = 8;

/**
 * The words of a message's components, one line each: texts, labels of buttons and menus, descriptions of pictures. A component
 * of a kind that is not known gives its texts as well.
 */
export function wordsOfComponents(components: unknown): string {
  return textsIn(components, 0).join("\n");
}

function textsIn(value: unknown, depth: number): string[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  const own = WORDS.map((key) => fields[key]).filter((text) => typeof text === "string" && text !== "");
  const inner = INNER.flatMap((key) => textsIn(fields[key], depth + 1));
  return [...own.map(String), ...inner];
}
