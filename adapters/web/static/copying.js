import { textOf } from "./texts.js";

const SHOWN_MS = 2000;

function button(label, hint) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet copy";
  made.textContent = label;
  made.title = hint;
  made.setAttribute("aria-label", hint);
  return made;
}

/** The clipboard needs a page on this machine or HTTPS; elsewhere the old way still works. */
async function copy(text) {
  if (navigator.clipboard !== undefined) {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (done) return true;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  const before = document.activeElement;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus();
  return done;
}

/** Buttons that copy a message or a piece of code. `notice` tells a screen reader that it is done. */
export function attachCopying(scroll, notice) {
  function addButtons() {
    for (const meta of scroll.querySelectorAll("#log .message:not(.streaming) > .meta, #older .meta, .origin .meta")) {
      const hasText = meta.nextElementSibling?.textContent.trim() !== "";
      if (hasText && !meta.querySelector(".copy")) meta.append(button(textOf("copy"), textOf("copyMessage")));
    }
    for (const code of scroll.querySelectorAll("figure.code")) {
      if (!code.querySelector(".copy")) code.append(button(textOf("copy"), textOf("copyCode")));
    }
  }

  /** As it is read, without the buttons in it. */
  function textToCopy(from) {
    const code = from.closest("figure.code");
    if (code !== null) return code.querySelector("code").textContent.replace(/\n$/, "");
    const body = from.closest(".message").querySelector(".body");
    for (const one of body.querySelectorAll(".copy")) one.hidden = true;
    // biome-ignore lint/performance/useDomNodeTextContent: line breaks belong to what people read
    const text = body.innerText.trim();
    for (const one of body.querySelectorAll(".copy")) one.hidden = false;
    return text;
  }

  scroll.addEventListener("click", async (event) => {
    const pressed = event.target.closest(".copy");
    if (pressed === null) return;
    const done = await copy(textToCopy(pressed));
    const said = textOf(done ? "copied" : "notCopied");
    notice.textContent = said;
    pressed.textContent = done ? said : "!";
    setTimeout(() => {
      notice.textContent = "";
      pressed.textContent = textOf("copy");
    }, SHOWN_MS);
  });
  new MutationObserver(addButtons).observe(scroll, { childList: true, subtree: true });
  addButtons();
}
