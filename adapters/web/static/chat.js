import { attachCopying } from "./copying.js";
import { attachHighlighting } from "./highlighting.js";
import { attachMessageKeys } from "./keyboard.js";
import { createOutgoing } from "./outgoing.js";
import { keepInView, markUnread } from "./reading.js";
import { attachSuggestions } from "./suggestions.js";
import { textOf } from "./texts.js";

const byId = (id) => document.getElementById(id);
const [composer, field, fileInput, chosen, problem] = [
  "composer",
  "text",
  "file",
  "chosen-files",
  "composer-problem",
].map(byId);
const [stream, connection, places] = ["stream", "connection", "places"].map(byId);

const view = keepInView(byId("scroll"), byId("to-newest"));
markUnread(places, byId("place-list"));
attachCopying(byId("scroll"), byId("notice"));
attachHighlighting(byId("scroll"));
attachMessageKeys(byId("scroll"), field);

/* The composer. What is written and not sent stays, also over a reload. */
const outgoing = createOutgoing(byId("pending"), byId("log"), composer.getAttribute("action"));
const suggestionKey = attachSuggestions(field, byId("suggestions"));
const DRAFT = `draft:${location.pathname}`;
let files = [];

function say(text, withFiles = []) {
  outgoing.send(text, withFiles);
  view.follow();
}

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
      remove.setAttribute("aria-label", textOf("removeFile", { name: file.name }));
      remove.addEventListener("click", () => {
        files = files.filter((one) => one !== file);
        showFiles();
        field.focus();
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
  showProblem(
    tooLarge.map(({ name }) => textOf("tooLarge", { name, size: Math.floor(limit / 1024 / 1024) })).join(" "),
  );
  showFiles();
  field.focus();
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value;
  if (text.trim() === "" && files.length === 0) return;
  say(text, files);
  field.value = "";
  sessionStorage.removeItem(DRAFT);
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
field.addEventListener("input", () => sessionStorage.setItem(DRAFT, field.value));
if (field.value === "") field.value = sessionStorage.getItem(DRAFT) ?? "";
field.setSelectionRange(field.value.length, field.value.length);
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

/* Buttons that say something for the person. */
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-say]");
  if (button === null) return;
  say(button.dataset.say);
  field.focus();
});

/* Stop is no message of the person. */
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-stop]");
  if (button === null) return;
  button.disabled = true;
  const answer = await fetch(`${location.pathname}/stop`, { method: "POST" }).catch(() => null);
  button.disabled = false;
  if (answer?.ok !== true) showProblem("Switchyard cannot be reached.");
  field.focus();
});

/* The connection. The extension reconnects what was open; asking again does nothing while it is, and heals what never opened. */
const CONNECT_MS = 5000;
setInterval(() => stream.dispatchEvent(new Event("reconnect")), CONNECT_MS);
stream.addEventListener("htmx:sse:after:connection", () => {
  connection.textContent = "";
  outgoing.retryNow();
});
for (const event of ["htmx:sse:error", "htmx:error", "htmx:response:error"]) {
  stream.addEventListener(event, ({ detail }) => {
    const status = detail?.ctx?.response?.status ?? detail?.status;
    connection.textContent = textOf(status === 404 ? "gone" : "reconnecting");
  });
}

/* What opens over the page: the small forms, and on a small screen the list of conversations. */
const menu = byId("menu");
const popovers = [...document.querySelectorAll("details.popover")];
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(places.classList.toggle("open")));
});
for (const popover of popovers) {
  // Opened here and not by the browser, whose "toggle" event comes a moment later: what is typed until then would be lost.
  popover.querySelector("summary").addEventListener("click", (event) => {
    event.preventDefault();
    popover.open = !popover.open;
    if (popover.open) popover.querySelector("input:not([type=hidden])").focus();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = popovers.find((popover) => popover.open);
  if (open !== undefined) {
    open.open = false;
    open.querySelector("summary").focus();
  } else if (places.classList.contains("open")) {
    menu.click();
    menu.focus();
  }
});
document.addEventListener("pointerdown", (event) => {
  for (const popover of popovers) if (popover.open && !popover.contains(event.target)) popover.open = false;
  const isOutside = !places.contains(event.target) && !menu.contains(event.target);
  if (places.classList.contains("open") && isOutside) menu.click();
});
