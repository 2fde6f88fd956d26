import { Tokenizer, type Tokens } from "marked";

/** Characters that emphasis may scan in one text: some tenths of a second. */
const EMPHASIS_BUDGET = 20_000_000;
/** How far plain text is looked for at once. */
const TEXT_WINDOW = 512;
/** The longest bare address that becomes a link. */
const URL_WINDOW = 2048;

/**
 * marked's tokenizer with a bound on its work. By itself it looks for the end of every `*`, `_` and `~`, and for an
 * `@` behind every word, in all the rest of the paragraph; that is quadratic, and 100 KB of `_a_` took ten seconds.
 * Past the budget the marks stay text; a bare address longer than the window is cut there.
 */
export class BoundedTokenizer extends Tokenizer {
  private left = EMPHASIS_BUDGET;

  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.spend(src) ? super.emStrong(src, maskedSrc, prevChar) : undefined;
  }

  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    return this.spend(src) ? super.del(src, maskedSrc, prevChar) : undefined;
  }

  override url(src: string): Tokens.Link | undefined {
    return super.url(src.slice(0, URL_WINDOW));
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const near = src.slice(0, TEXT_WINDOW);
    const token = super.inlineText(near);
    if (token === undefined || token.raw.length < near.length || near.length === src.length) return token;
    // Ending at a space keeps an address or a reference that the window's end divides in one piece.
    const space = near.lastIndexOf(" ");
    return space > 0 ? super.inlineText(near.slice(0, space)) : token;
  }

  private spend(src: string): boolean {
    const mark = src.charCodeAt(0);
    if (mark !== 42 && mark !== 95 && mark !== 126) return true;
    this.left -= src.length;
    return this.left > 0;
  }
}
