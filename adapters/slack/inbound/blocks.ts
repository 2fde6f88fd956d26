/** Everything Slack sends besides ids is read as it comes: a shape that is not known yet still holds words. */
type Fields = Readonly<Record<string, unknown>>;

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Keys that never hold words people see, in a block or element that is not known here. */
const NOT_WORDS: ReadonlySet<string> = new Set(["type", "block_id", "action_id", "value", "style", "url", "emoji"]);

/** Nested deeper than any message Slack accepts. */
const DEEPEST = 12;

/**
 * The words of Block Kit blocks, one line per block, in Slack's wire form (`<@U…>`, `<url|label>`), so that they are read as a
 * message's text is. A block of a kind that is not known gives all its texts.
 */
export function wordsOfBlocks(blocks: unknown): string {
  return lines(listOf(blocks).map((block) => wordsOfBlock(block, 0)));
}

/** Whether the blocks only repeat the text: what people's own clients send along. */
export function isTyped(blocks: unknown): boolean {
  return listOf(blocks).every((block) => fieldsOf(block).type === "rich_text");
}

function wordsOfBlock(block: unknown, depth: number): string {
  const fields = fieldsOf(block);
  if (depth > DEEPEST) return "";
  switch (fields.type) {
    case "divider":
      return "";
    case "rich_text":
      return lines(listOf(fields.elements).map((element) => richBlock(element, depth + 1)));
    case "image":
    case "video":
      return lines([textOf(fields.title), escaped(stringOf(fields.alt_text)), textOf(fields.description)]);
    case "table":
    case "data_table":
      return lines([
        escaped(stringOf(fields.caption)),
        ...listOf(fields.rows).map((row) =>
          listOf(row)
            .map((cell) => wordsOfBlock(cell, depth + 1))
            .join(" | "),
        ),
      ]);
    case "markdown":
      return escaped(stringOf(fields.text));
    default:
      return lines(textsIn(fields, depth));
  }
}

function textsIn(value: unknown, depth: number): string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  const fields = fieldsOf(value);
  if (typeof fields.type === "string" && depth > 0 && KNOWN.has(fields.type)) return [wordsOfBlock(fields, depth + 1)];
  if (typeof fields.text === "string") return [textOf(fields)];
  return Object.entries(fields).flatMap(([key, inner]) => {
    if (NOT_WORDS.has(key)) return [];
    return typeof inner === "string" ? (WORDS.has(key) ? [escaped(inner)] : []) : textsIn(inner, depth + 1);
  });
}

const KNOWN: ReadonlySet<string> = new Set([
  "rich_text",
  "image",
  "video",
  "table",
  "data_table",
  "markdown",
  "divider",
]);
const WORDS: ReadonlySet<string> = new Set(["title", "subtitle", "description", "label", "alt_text", "hint"]);

/** A text object: `mrkdwn` is in wire form already. */
function textOf(value: unknown): string {
  if (typeof value === "string") return escaped(value);
  const { type, text } = fieldsOf(value);
  return type === "mrkdwn" ? stringOf(text) : escaped(stringOf(text));
}

function richBlock(element: unknown, depth: number): string {
  const { type, elements } = fieldsOf(element);
  const list = listOf(elements);
  if (depth > DEEPEST) return "";
  if (type === "rich_text_list") return lines(list.map((item) => `- ${richBlock(item, depth + 1)}`));
  const inside = list.map(richElement).join("");
  if (type === "rich_text_preformatted") return `\`\`\`\n${inside}\n\`\`\``;
  return type === "rich_text_quote"
    ? inside
        .split("\n")
        .map((line) => `&gt; ${line}`)
        .join("\n")
    : inside;
}

function richElement(element: unknown): string {
  const fields = fieldsOf(element);
  const text = escaped(stringOf(fields.text));
  switch (fields.type) {
    case "link":
      return text === "" ? `<${stringOf(fields.url)}>` : `<${stringOf(fields.url)}|${text}>`;
    case "user":
      return `<@${stringOf(fields.user_id)}>`;
    case "channel":
      return `<#${stringOf(fields.channel_id)}>`;
    case "usergroup":
      return `<!subteam^${stringOf(fields.usergroup_id)}>`;
    case "broadcast":
      return `<!${stringOf(fields.range)}>`;
    case "emoji":
      return `:${stringOf(fields.name)}:`;
    case "date":
      return escaped(stringOf(fields.fallback));
    case "color":
      return escaped(stringOf(fields.value));
    default:
      return fieldsOf(fields.style).code === true ? `\`${text}\`` : text;
  }
}

export function escaped(text: string): string {
  return text.replace(/&(?!(?:amp|lt|gt);)|[<>]/g, (sign) => SIGNS[sign] ?? sign);
}

export function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
