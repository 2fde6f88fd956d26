/** Command suggestions under a text field that begins with "/". Arrow keys choose, Tab or Enter takes, Escape closes. */
export function attachSuggestions(field, list) {
  const options = [...list.children];
  let chosen = null;

  function choose(option) {
    for (const one of options) one.setAttribute("aria-selected", String(one === option));
    chosen = option;
    if (option === null) field.removeAttribute("aria-activedescendant");
    else {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }
  }

  function visible() {
    return options.filter((option) => !option.hidden);
  }

  function show(open) {
    list.hidden = !open;
    if (!open) choose(null);
  }

  function update() {
    const typed = /^\/\S*$/.test(field.value) ? field.value.toLowerCase() : null;
    for (const option of options) option.hidden = typed === null || !option.dataset.name.startsWith(typed);
    const found = visible();
    const isComplete = found.length === 1 && found[0].dataset.name === typed;
    show(found.length > 0 && !isComplete);
    if (!list.hidden) choose(found[0]);
  }

  function take(option) {
    field.value = `${option.dataset.name} `;
    show(false);
    field.focus();
  }

  field.addEventListener("input", update);
  field.addEventListener("blur", () => show(false));
  // Before the blur, so that a click on a suggestion still finds it open.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });

  /** True: the key was for the suggestions. */
  return function handleKey(event) {
    if (list.hidden) return false;
    const found = visible();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) choose(found[(found.indexOf(chosen) + step + found.length) % found.length]);
    else if (event.key === "Escape") show(false);
    else if (chosen && (event.key === "Tab" || (event.key === "Enter" && field.value !== chosen.dataset.name)))
      take(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
}
