import { escapeHtml } from "../../src/core/text/entities.ts";
/** How a run of text looks: marks as a bit set (1 bold, 2 italic, 4 struck), and the link it is part of. */
export interface Style {
  readonly marks: number;
  readonly href: string | null;
}

const PLAIN: Style = { marks: 0, href: null };

/**
 * Writes Telegram HTML run by run and keeps the open tags in one stack, so that whatever is written is well formed.
 * Code and pre stand alone: the Bot API lets them be part of no other entity but a quote.
 */
export class HtmlWriter {
  private html = "";
  private units = 0;
  private stack: readonly string[] = [];

  text(text: string): void {
    this.styled(text, PLAIN);
  }

  styled(text: string, style: Style): void {
    if (text === "") return;
    this.open(tagsOf(style));
    this.write(text);
  }

  /** Inside a link the text stays a link: the two cannot be combined. */
  code(text: string, style: Style): void {
    if (text === "") return;
    this.open(style.href === null ? ["<code>"] : tagsOf(style));
    this.write(text);
  }

  pre(text: string, language: string | null): void {
    if (text === "") return;
    this.open([]);
    this.html += language === null ? "<pre>" : `<pre><code class="language-${escapeHtml(language)}">`;
    this.write(text);
    this.html += language === null ? "</pre>" : "</code></pre>";
  }

  /** A quote in which nothing is written leaves no tags. */
  quote(content: () => void): void {
    this.open([]);
    const before = this.html;
    const units = this.units;
    this.html += "<blockquote>";
    content();
    this.open([]);
    this.html = this.units === units ? before : `${this.html}</blockquote>`;
  }

  finish(): { readonly html: string; readonly length: number } {
    this.open([]);
    return { html: this.html, length: this.units };
  }

  private write(text: string): void {
    this.html += escapeHtml(text);
    this.units += text.length;
  }

  /** Closes and opens tags until exactly `wanted` are open. */
  private open(wanted: readonly string[]): void {
    let same = 0;
    while (same < wanted.length && this.stack[same] === wanted[same]) same += 1;
    for (let index = this.stack.length - 1; index >= same; index -= 1) this.html += closing(this.stack[index] ?? "");
    for (const tag of wanted.slice(same)) this.html += tag;
    this.stack = wanted;
  }
}

function tagsOf(style: Style): string[] {
  const tags: string[] = [];
  if (style.href !== null) tags.push(`<a href="${escapeHtml(style.href)}">`);
  if (style.marks & 1) tags.push("<b>");
  if (style.marks & 2) tags.push("<i>");
  if (style.marks & 4) tags.push("<s>");
  return tags;
}

function closing(tag: string): string {
  return `</${/^<(\w+)/.exec(tag)?.[1] ?? ""}>`;
}
