import hljs from "./highlight.js";

/** A longer text takes longer than it is worth. */
const LONGEST = 20_000;

/** Colours code whose language is said, once it is whole. What a stream sends anew is coloured anew. */
export function attachHighlighting(scroll) {
  function colour() {
    for (const code of scroll.querySelectorAll(
      ".message:not(.streaming) pre > code[class*='language-']:not([data-coloured])",
    )) {
      const language = /language-(\S+)/.exec(code.className)?.[1];
      const text = code.textContent;
      code.dataset.coloured = "";
      if (text.length > LONGEST || hljs.getLanguage(language) === undefined) continue;
      code.innerHTML = hljs.highlight(text, { language, ignoreIllegals: true }).value;
    }
  }
  new MutationObserver(colour).observe(scroll, { childList: true, subtree: true, attributeFilter: ["class"] });
  colour();
}
