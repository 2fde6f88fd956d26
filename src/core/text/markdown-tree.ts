import { assertNever } from "../runtime.ts";

/** Inline content. Text nodes hold decoded text (no entities, no escapes); neighbouring text nodes are merged. */
export type MdInline =
  /** A `\n` in it is a line break of the source, which chats show as one. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "strong" | "em" | "del"; readonly children: readonly MdInline[] }
  /** Hidden until the reader opens it: `||…||`, where the platform has it. */
  | { readonly type: "spoiler"; readonly children: readonly MdInline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly children: readonly MdInline[] }
  | { readonly type: "image"; readonly url: string; readonly alt: string }
  /** A person of the conversation, who is notified (DL-8). No source can hold one: it is put in by `mentionPeople`. */
  | { readonly type: "mention"; readonly id: string; readonly name: string }
  /** A hard break. */
  | { readonly type: "break" };

export interface MdListItem {
  /** State of a task item's box; null for an ordinary item. */
  readonly checked: boolean | null;
  /** The rest of an item that a cut divided: rendered without a bullet or number. */
  readonly continued: boolean;
  readonly children: readonly MdBlock[];
}

export type MdBlock =
  | { readonly type: "paragraph"; readonly children: readonly MdInline[] }
  | { readonly type: "heading"; readonly level: number; readonly children: readonly MdInline[] }
  /** `lang`: the first word of the info string, or null. */
  | { readonly type: "codeBlock"; readonly lang: string | null; readonly text: string }
  | { readonly type: "quote"; readonly children: readonly MdBlock[] }
  | {
      readonly type: "list";
      readonly ordered: boolean;
      /** Number of the first item; 1 when not ordered. */
      readonly start: number;
      /** Items stand apart by blank lines. */
      readonly loose: boolean;
      readonly items: readonly MdListItem[];
    }
  | {
      readonly type: "table";
      readonly align: readonly MdAlign[];
      readonly header: readonly MdCell[];
      readonly rows: readonly (readonly MdCell[])[];
    }
  | { readonly type: "rule" };

export type MdAlign = "left" | "center" | "right" | null;
export type MdCell = readonly MdInline[];

/** A node of a parsed message: the tree that splitting cuts and every platform renders (DL-7). */
export type MdNode = MdBlock;

/** Breaks a mention for every platform and is invisible to people. */
const ZERO_WIDTH = "\u200b";
const AT_ALL = /@(?=everyone|here|channel|group)/gi;
const BRACKETED = /<(?=!(?:channel|here|everyone|group|subteam\^))/gi;
const ROLE = /<@(?=&\d)/g;

/**
 * Makes mentions of many people inert (`DL-8`, FC-176): `@everyone`, `@here`, `@channel`, `<!channel>`, `<!here>`,
 * `<!everyone>`, `<!subteam^…>`, `<@&role>` get a zero-width space behind their first characters. They are broken
 * also inside longer words, because platforms look for them there. Mentions of single users stay. Idempotent.
 */
export function neutraliseMentions(text: string): string {
  if (!text.includes("@") && !text.includes("<!")) return text;
  return text.replace(AT_ALL, `@${ZERO_WIDTH}`).replace(BRACKETED, `<${ZERO_WIDTH}`).replace(ROLE, `<@${ZERO_WIDTH}`);
}

/**
 * {@link neutraliseMentions} for a parsed tree: after parsing, so that `&#64;everyone` cannot slip through, and outside
 * of code and link addresses, so that both can still be copied. Renderers see to it that code does not ping.
 */
export function neutraliseTree(nodes: readonly MdBlock[]): MdBlock[] {
  return rewriteTexts(nodes, (text) => [{ type: "text", text: neutraliseMentions(text) }], neutraliseMentions);
}

type Rewrite = (text: string) => readonly MdInline[];

/** The tree with other content for each of its texts; none in links, where only `words` changes them. Code stays as it is. */
export function rewriteTexts(
  nodes: readonly MdBlock[],
  rewrite: Rewrite,
  words: (text: string) => string = (text) => text,
): MdBlock[] {
  const inlines = (children: readonly MdInline[], isLabel = false): MdInline[] =>
    children.flatMap((child): readonly MdInline[] => {
      switch (child.type) {
        case "text":
          return isLabel ? [{ type: "text", text: words(child.text) }] : rewrite(child.text);
        case "strong":
        case "em":
        case "del":
        case "spoiler":
          return [{ ...child, children: inlines(child.children, isLabel) }];
        case "link":
          return [{ ...child, children: inlines(child.children, true) }];
        case "image":
          return [{ ...child, alt: words(child.alt) }];
        case "code":
        case "mention":
        case "break":
          return [child];
        default:
          return assertNever(child);
      }
    });
  const block = (node: MdBlock): MdBlock => {
    switch (node.type) {
      case "paragraph":
      case "heading":
        return { ...node, children: inlines(node.children) };
      case "quote":
        return { ...node, children: node.children.map(block) };
      case "list":
        return { ...node, items: node.items.map((item) => ({ ...item, children: item.children.map(block) })) };
      case "table":
        return {
          ...node,
          header: node.header.map((cell) => inlines(cell)),
          rows: node.rows.map((row) => row.map((cell) => inlines(cell))),
        };
      case "codeBlock":
      case "rule":
        return node;
      default:
        return assertNever(node);
    }
  };
  return nodes.map(block);
}
