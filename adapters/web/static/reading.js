/* What helps reading: local times, the newest message in view, what was not read yet. */

const NEAR_END_PX = 60;

/** Times in the reader's own clock. */
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    const shown = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const text = isToday ? shown : `${at.toLocaleDateString([], { day: "numeric", month: "short" })} ${shown}`;
    if (time.textContent !== text) time.textContent = text;
    if (time.title === "") time.title = at.toLocaleString();
  }
}

/** Keeps the newest message in view unless the reader scrolled up. `follow` goes back to it. */
export function keepInView(scroll, toNewest) {
  let follows = true;
  const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
  const toEnd = () => scroll.scrollTo({ top: scroll.scrollHeight });
  const keep = () => {
    if (follows) toEnd();
    toNewest.hidden = isAtEnd();
  };
  const follow = () => {
    follows = true;
    keep();
  };
  scroll.addEventListener(
    "scroll",
    () => {
      follows = isAtEnd();
      toNewest.hidden = follows;
    },
    { passive: true },
  );
  // Text alone changes too: a stream that begins anew morphs what stands there.
  new MutationObserver(() => {
    localTimes(scroll);
    keep();
  }).observe(scroll, { childList: true, characterData: true, subtree: true });
  // The field below grows and shrinks, an image takes its room when it is loaded.
  new ResizeObserver(keep).observe(scroll);
  scroll.addEventListener("load", keep, true);
  toNewest.addEventListener("click", follow);
  localTimes(scroll);
  const linked = location.hash === "" ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (linked === null) follow();
  else linked.scrollIntoView();
  return { follow };
}

/** Marks conversations with something new, in this browser; what was there at its first visit counts as read. */
export function markUnread(places, list) {
  function mark() {
    const links = [...places.querySelectorAll("a[data-last]")];
    localStorage.seenAtFirst ??= Math.max(...links.map((link) => Number(link.dataset.last)));
    for (const link of links) {
      const key = `seen:${link.pathname}`;
      const isOpen = link.hasAttribute("aria-current") && !document.hidden;
      if (isOpen) localStorage.setItem(key, link.dataset.last);
      const seen = localStorage.getItem(key) ?? localStorage.seenAtFirst;
      link.classList.toggle("unread", Number(link.dataset.last) > Number(seen));
    }
  }
  new MutationObserver(mark).observe(list, {
    childList: true,
    subtree: true,
    // The stream fills the list anew and takes the class away.
    attributeFilter: ["data-last", "class"],
  });
  document.addEventListener("visibilitychange", mark);
  mark();
}
