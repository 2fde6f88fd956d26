import { html } from "hono/html";

/** What the template tag gives; a promise only when a value inside is one, which never happens here. */
export type Markup = ReturnType<typeof html>;

/** The text of a template that holds no promise. */
export function markupText(markup: Markup): string {
  if (markup instanceof Promise) throw new Error("a page template must not hold a promise");
  return markup.toString();
}

/** A person's words as they were typed: escaped, never parsed. */
export function plainHtml(text: string): string {
  return markupText(html`${text}`);
}

/** Markup that tells the page where it belongs. */
export function partial(target: string, swap: string, content: Markup): string {
  return markupText(html`<hx-partial hx-target="${target}" hx-swap="${swap}">${content}</hx-partial>`);
}
