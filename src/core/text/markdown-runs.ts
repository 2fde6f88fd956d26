import type { Env, Token } from "markdown-it";
import { bareLinks } from "./bare-links.ts";
import { inlineTokens } from "./markdown-inline.ts";
import type { MdInline } from "./markdown-tree.ts";

/** Deeper marks are left out; what they stand around stays. */
const MAX_DEPTH = 8;

interface Open {
  readonly mark: "strong" | "em" | "del" | "spoiler" | "link" | null;
  readonly url: string;
  readonly children: MdInline[];
}

const MARKS: ReadonlyMap<string, "strong" | "em" | "del" | "spoiler" | "link"> = new Map([
  ["strong_open", "strong"],
  ["em_open", "em"],
  ["s_open", "del"],
  ["spoiler_open", "spoiler"],
  ["link_open", "link"],
]);

/** Parses a run of inline Markdown into the tree. Every address that a link of it leads to is added to `used`. */
export function convertInlines(source: string, env: Env, used: Set<string>): MdInline[] {
  if (source === "") return [];
  const root: MdInline[] = [];
  const stack: Open[] = [{ mark: null, url: "", children: root }];
  let links = 0;
  let text = "";

  const target = (): MdInline[] => stack.at(-1)?.children ?? root;
  const flush = (): void => {
    if (text === "") return;
    for (const part of links > 0 ? [{ text, url: null }] : bareLinks(text)) {
      const run: MdInline = { type: "text", text: part.text };
      target().push(part.url === null ? run : { type: "link", url: part.url, children: [run] });
    }
    text = "";
  };
  const address = (token: Token, name: "href" | "src"): string => {
    const url = String(token.attrGet(name) ?? "");
    used.add(url);
    return url.replace(/[\s\u0000-\u001f\u007f]+/g, "%20");
  };
  const open = (token: Token): void => {
    const mark = MARKS.get(token.type) ?? null;
    const url = mark === "link" ? address(token, "href") : "";
    if (mark === "link") links += 1;
    const parent = target();
    // What is too deep goes where its parent's content goes.
    stack.push(stack.length > MAX_DEPTH ? { mark: null, url, children: parent } : { mark, url, children: [] });
  };
  const close = (): void => {
    const done = stack.pop();
    if (done === undefined || done.mark === null) return;
    const { mark, url, children } = done;
    target().push(mark === "link" ? { type: "link", url, children } : { type: mark, children });
  };

  for (const token of inlineTokens(source, env)) {
    // Neighbouring text is one node, so that a mention or a grapheme is never spread over nodes by an escape.
    if (token.type === "text" || token.type === "text_special") text += token.content;
    else if (token.type === "softbreak") text += "\n";
    else {
      flush();
      if (token.nesting === 1) open(token);
      else if (token.nesting === -1) {
        if (token.type === "link_close") links -= 1;
        close();
      } else if (token.type === "code_inline") target().push({ type: "code", text: token.content });
      else if (token.type === "hardbreak") target().push({ type: "break" });
      else if (token.type === "image") {
        target().push({ type: "image", url: address(token, "src"), alt: token.content });
      }
    }
  }
  flush();
  return root;
}
