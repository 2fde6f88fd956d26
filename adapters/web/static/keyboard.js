/*
 * The keyboard in a long history. One message at a time is in the order of Tab, with what is in it, the newest at first: from
 * the page's header it is a few steps to the field, however many messages there are. Up, Down, Home and End go from message to
 * message, Escape to the field.
 */

const STOPS = "a[href], button, summary, input:not([type=hidden]), .spoiler";

function set(element, tabIndex) {
  if (element.getAttribute("tabindex") !== String(tabIndex)) element.tabIndex = tabIndex;
}

export function attachMessageKeys(scroll, field) {
  let current = null;
  const messages = () => [...scroll.querySelectorAll("li.message")];

  function order() {
    const all = messages();
    if (!all.includes(current)) current = all.at(-1) ?? null;
    for (const message of all) {
      const tabIndex = message === current ? 0 : -1;
      set(message, tabIndex);
      for (const stop of message.querySelectorAll(STOPS)) {
        // What failed waits for a decision and is always within reach.
        set(stop, message.matches(".failed") ? 0 : tabIndex);
      }
    }
    // What is wider than the page can be scrolled from the keyboard, and only that is a stop.
    for (const wide of scroll.querySelectorAll("pre, figure.wide")) {
      const overflows = wide.scrollWidth > wide.clientWidth || wide.scrollHeight > wide.clientHeight;
      if (overflows) set(wide, 0);
      else wide.removeAttribute("tabindex");
    }
  }

  /** The newest stays the current one while nobody chose another. */
  let isChosen = false;
  function renew() {
    if (!isChosen && !scroll.contains(document.activeElement)) current = messages().at(-1) ?? null;
    order();
  }

  scroll.addEventListener("focusin", (event) => {
    const message = event.target.closest("li.message");
    if (message === null || message === current) return;
    isChosen = true;
    current = message;
    order();
  });
  scroll.addEventListener("focusout", (event) => {
    if (!scroll.contains(event.relatedTarget)) isChosen = false;
  });

  scroll.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      field.focus();
      return;
    }
    const message = event.target.closest("li.message");
    // Inside a message the keys scroll what is wide.
    if (message === null || event.target !== message) return;
    const all = messages();
    const at = all.indexOf(message);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)].focus();
  });

  new MutationObserver(renew).observe(scroll, { childList: true, subtree: true, attributeFilter: ["tabindex"] });
  new ResizeObserver(renew).observe(scroll);
  renew();
}
