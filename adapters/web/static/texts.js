/* The words of the scripts come with the page, so that all of its words are in one place. */

const texts = JSON.parse(document.body.dataset.texts);

/** `values` take the place of the words in braces. */
export function textOf(name, values = {}) {
  return texts[name].replace(/\{(\w+)\}/g, (_all, key) => String(values[key] ?? ""));
}
