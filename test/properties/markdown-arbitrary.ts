import fc from "fast-check";

const PIECES = [
  "word ",
  "Sentence end. ",
  "**bold** ",
  "*it* ",
  "***x*** ",
  "~~d~~ ",
  "`code` ",
  "``a ` b`` ",
  "**a `b` *c `d`*** ",
  "[x `y` **z**](https://example.org) ",
  "> `q`\n",
  "[label](https://example.org/a?b=1&c) ",
  "[x](javascript:y) ",
  "![alt](http://i.example/p.png) ",
  "https://example.org/path ",
  "\n",
  "\n\n",
  "  \n",
  "# Head\n\n",
  "> quote\n",
  "> > deep\n",
  "- item\n",
  "  - inner\n",
  "1. one\n",
  "   2. two\n",
  "- [x] done\n",
  "```js\n",
  "```\n",
  "~~~\n",
  "    indented\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n\n",
  "---\n\n",
  "<b>",
  "</b>",
  "<script>",
  "<br>",
  "&amp;",
  "&lt;",
  "&#64;",
  "&",
  "<",
  ">",
  '"',
  "'",
  "\\",
  "`",
  "*",
  "_",
  "~",
  "|",
  "[",
  "]",
  "(",
  ")",
  "@everyone ",
  "@here ",
  "<!channel> ",
  "<@&123> ",
  "😀",
  "👨‍👩‍👧‍👦",
  "e\u0301",
  "🇩🇪",
  "日本語。",
  "\u200b",
  "\ud800",
  "\t",
  "[r]: http://ref.example\n",
  "[r]",
  "a".repeat(120),
  `https://example.org/${"p".repeat(150)} `,
  "x = 1;\n",
];

/** Text that looks like what models write, broken in every way: Markdown fragments, hostile characters, any Unicode. */
export function messyMarkdown(maxLength = 60): fc.Arbitrary<string> {
  const fragment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  );
  return fc
    .array(fc.tuple(fragment, fc.integer({ min: 1, max: 6 })), { maxLength })
    .map((parts) => parts.map(([text, times]) => text.repeat(times)).join(""));
}

/** A lone surrogate, which no platform accepts. */
export const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** What would notify more people than the answer is for (DL-8). */
export const BROADCAST = /@(?:everyone|here|channel)|<!(?:channel|here|everyone|subteam\^)|<@&\d/i;
