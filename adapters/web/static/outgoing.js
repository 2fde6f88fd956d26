import { textOf } from "./texts.js";
import { unsent } from "./unsent.js";

const RETRY_MS = [1000, 2000, 3000];
/** An unsent message that was left longer than this is not sent without being asked for again. */
const FRESH_MS = 15 * 60_000;

/** Works where the page is not served over HTTPS, too. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function attempt({ url, id, text, files }) {
  const form = new FormData();
  form.set("id", id);
  form.set("text", text);
  for (const file of files) form.append("file", file, file.name);
  try {
    const response = await fetch(url, { method: "POST", body: form });
    if (response.ok) return { done: true };
    const answer = await response.json().catch(() => ({}));
    const problem = answer.problem ?? textOf("answered", { status: response.status });
    return { done: false, again: response.status >= 500, problem };
  } catch {
    return { done: false, again: true, problem: textOf("unreachable") };
  }
}

/**
 * Messages on their way: each stands in `list` until the log shows it. Sending one again under its id is safe, so a lost
 * connection is simply tried again; what the server refuses waits for the person's decision.
 */
export function createOutgoing(list, log, here) {
  const waiting = new Set();

  function entry(message) {
    const item = document.createElement("li");
    item.className = "message person";
    item.dataset.id = message.id;
    const meta = document.createElement("div");
    meta.className = "meta";
    const name = document.createElement("b");
    name.textContent = textOf("you");
    const state = document.createElement("span");
    state.className = "state";
    meta.append(name, state);
    const body = document.createElement("div");
    body.className = "body";
    body.textContent = message.text;
    const note = document.createElement("p");
    note.className = "problem";
    note.setAttribute("role", "alert");
    item.append(meta, body, ...message.files.map((file) => chip(file.name)), note);
    list.append(item);
    return { item, state, note };
  }

  function chip(name) {
    const element = document.createElement("span");
    element.className = "file";
    element.textContent = name;
    return element;
  }

  /** The log has it now: the server's own words take over. */
  function settle() {
    for (const item of [...list.children]) {
      if (document.getElementById(`p-${item.dataset.id}`)) item.remove();
    }
  }
  new MutationObserver(settle).observe(log, { childList: true });

  function pause(ms) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
    });
  }

  /** Until the server has it, or until the person gives it up. */
  async function carry(message, { item, state, note }, problem = null) {
    state.textContent = textOf("sending");
    for (let tries = 0; ; tries += 1) {
      const result = problem === null ? await attempt(message) : { done: false, again: false, problem };
      problem = null;
      if (result.done) {
        unsent.forget(message.id);
        item.classList.remove("failed");
        state.textContent = "✓";
        state.title = textOf("sent");
        note.textContent = "";
        settle();
        return;
      }
      item.classList.add("failed");
      state.textContent = textOf("notSent");
      const shown = result.again ? textOf("tryingAgain", { problem: result.problem }) : result.problem;
      if (note.textContent !== shown) note.textContent = shown;
      if (result.again) {
        await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
        continue;
      }
      const choice = await decision(note);
      unsent.forget(message.id);
      if (choice === "discard") {
        item.remove();
        return;
      }
      // The refused message was taken back, so this is a new one.
      message.id = newId();
      item.dataset.id = message.id;
      item.classList.remove("failed");
      state.textContent = textOf("sending");
      note.textContent = "";
      keep(message);
    }
  }

  function keep(message) {
    if (message.files.length === 0) unsent.keep(message);
  }

  function decision(note) {
    return new Promise((resolve) => {
      for (const [label, choice] of [
        [textOf("sendAgain"), "again"],
        [textOf("discard"), "discard"],
      ]) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "quiet";
        button.textContent = label;
        button.addEventListener("click", () => resolve(choice), { once: true });
        note.append(button);
      }
    });
  }

  /** What an earlier page left: that of this conversation is shown, that of others is just sent. */
  function resume() {
    for (const left of unsent.all()) {
      const message = { ...left, files: [] };
      const problem = Date.now() - left.at > FRESH_MS ? textOf("neverSent") : null;
      if (message.url === here) void carry(message, entry(message), problem);
      else if (problem === null) {
        void attempt(message).then((result) => {
          if (result.done) unsent.forget(message.id);
        });
      }
    }
  }

  window.addEventListener("beforeunload", (event) => {
    const holdsFiles = [...list.children].some((item) => item.querySelector(".file") && item.matches(".failed"));
    if (holdsFiles) event.preventDefault();
  });
  resume();

  return {
    send(text, files) {
      const message = { id: newId(), url: here, text, files, at: Date.now() };
      keep(message);
      void carry(message, entry(message));
    },
    /** The server is there again: nobody waits for the next try. */
    retryNow() {
      for (const end of [...waiting]) end();
    },
  };
}
