import { createOutgoing } from "./outgoing.js";
import { attachSuggestions } from "./suggestions.js";

const byId = (id) => document.getElementById(id);
const [composer, field, fileInput, chosen, problem] = [
  "composer",
  "text",
  "file",
  "chosen-files",
  "composer-problem",
].map(byId);
const [scroll, log, pending, stream, connection, places] = [
  "scroll",
  "log",
  "pending",
  "stream",
  "connection",
  "places",
].map(byId);

/* Times in the reader's own clock. */
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    const shown = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const text = isToday ? shown : `${at.toLocaleDateString([], { day: "numeric", month: "short" })} ${shown}`;
    if (time.textContent !== text) time.textContent = text;
    time.title = at.toLocaleString();
  }
}

/* The newest message stays in view unless the reader scrolled up. */
let follows = true;
const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
scroll.addEventListener("scroll", () => (follows = isAtEnd()), { passive: true });
const toEnd = () => scroll.scrollTo({ top: scroll.scrollHeight });
new MutationObserver(() => {
  localTimes(scroll);
  if (follows) toEnd();
}).observe(scroll, { childList: true, subtree: true });
scroll.addEventListener("load", () => follows && toEnd(), true);
localTimes(scroll);
if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
else toEnd();

/* What was not read yet, per conversation, in this browser; what was there at its first visit counts as read. */
function markUnread() {
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
new MutationObserver(markUnread).observe(byId("place-list"), {
  childList: true,
  subtree: true,
  // The stream fills the list anew and takes the class away.
  attributeFilter: ["data-last", "class"],
});
document.addEventListener("visibilitychange", markUnread);
markUnread();

/* The composer. */
const outgoing = createOutgoing(pending, log);
const suggestionKey = attachSuggestions(field, byId("suggestions"));
let files = [];

function showProblem(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

function showFiles() {
  chosen.replaceChildren(
    ...files.map((file) => {
      const item = document.createElement("li");
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "quiet";
      remove.textContent = "×";
      remove.setAttribute("aria-label", `Remove ${file.name}`);
      remove.addEventListener("click", () => {
        files = files.filter((one) => one !== file);
        showFiles();
      });
      item.append(file.name, remove);
      return item;
    }),
  );
  chosen.hidden = files.length === 0;
}

function addFiles(added) {
  const limit = Number(composer.dataset.maxBytes);
  const tooLarge = [...added].filter((file) => file.size > limit);
  files = [...files, ...[...added].filter((file) => file.size <= limit)];
  showProblem(tooLarge.map((file) => `${file.name} is larger than ${Math.floor(limit / 1024 / 1024)} MB.`).join(" "));
  showFiles();
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value;
  if (text.trim() === "" && files.length === 0) return;
  follows = true;
  outgoing.send(composer.getAttribute("action"), text, files);
  field.value = "";
  files = [];
  showFiles();
  showProblem("");
  field.focus();
});
field.addEventListener("keydown", (event) => {
  if (event.isComposing || suggestionKey(event)) return;
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    composer.requestSubmit();
  }
});
fileInput.addEventListener("change", () => {
  addFiles(fileInput.files);
  fileInput.value = "";
});
field.addEventListener("paste", (event) => {
  if (event.clipboardData.files.length === 0) return;
  event.preventDefault();
  addFiles(event.clipboardData.files);
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    composer.classList.toggle("dropping", kind === "dragenter" || kind === "dragover");
    if (kind === "drop") addFiles(event.dataTransfer.files);
  });
}

/* The connection. The extension reconnects what was open; asking again does nothing while it is, and heals what never opened. */
const CONNECT_MS = 5000;
setInterval(() => stream.dispatchEvent(new Event("reconnect")), CONNECT_MS);
stream.addEventListener("htmx:sse:after:connection", () => (connection.textContent = ""));
for (const event of ["htmx:sse:error", "htmx:error", "htmx:response:error"]) {
  stream.addEventListener(event, () => (connection.textContent = "Connection lost, trying again …"));
}

/* The list of conversations on a small screen. */
const menu = byId("menu");
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(places.classList.toggle("open")));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && places.classList.contains("open")) menu.click();
});
